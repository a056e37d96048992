/** A key pair that secures nothing: for doubles of clouds, which answer by these clouds' own names in tests. Good until 2126. */
export const cloudCertificate = `-----BEGIN CERTIFICATE-----
MIICMTCCAdigAwIBAgIUFZs7rik0HwlZ8u9rnPh13+pRHN0wCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPY2xvdWRzIG9mIHRlc3RzMCAXDTI2MTIwMTE1MTM0NFoYDzIx
MjYxMTA3MTUxMzQ0WjAaMRgwFgYDVQQDDA9jbG91ZHMgb2YgdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAATMoaNcb61ZrU2KPDMmt7hHw5Up307Yjl05PI8h
dvdoNKfm/Y7IJjdavxkLNKVfuIzfhtRAKZclZucBRc+orNnKo4H5MIH2MB0GA1Ud
DgQWBBTCmSZAj2tu+LU+z+HXlc5rlmh9gDAPBgNVHRMBAf8EBTADAQH/MIHDBgNV
HREEgbswgbiCESoudmF1bHQuYXp1cmUubmV0ghlsb2dpbi5taWNyb3NvZnRvbmxp
bmUuY29tghAqLmdvb2dsZWFwaXMuY29tgiEqLmV1cm9wZS13ZXN0My5yZXAuZ29v
Z2xlYXBpcy5jb22CJCouZGtyLmVjci5ldS1jZW50cmFsLTEuYW1hem9uYXdzLmNv
bYIJKi5wa2cuZGV2ggwqLmF6dXJlY3IuaW+CFHJlZ2lzdHJ5LTEuZG9ja2VyLmlv
MAoGCCqGSM49BAMCA0cAMEQCIDkuEZhmpj2t2rGLYveXUHi3T1HtjXGMmcouKfsH
KVC8AiB64WJuAuXBD3cp1jSxiZ9RYlQ+XHLLyY3uD75OOjuY6A==
-----END CERTIFICATE-----`;

/** Its private half. */
export const cloudKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglg2y+EkHR6rqxedT
/v6L0tLfeli9RYG8xviUx8aTGkahRANCAATMoaNcb61ZrU2KPDMmt7hHw5Up307Y
jl05PI8hdvdoNKfm/Y7IJjdavxkLNKVfuIzfhtRAKZclZucBRc+orNnK
-----END PRIVATE KEY-----`;
