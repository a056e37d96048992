/**
 * The keys that releases are signed with, as their projects publish them, without what other keys say of them. The first
 * is C874011F0AB405110D02105534365D9472D7468F of HashiCorp (hashicorp.com/security) with its two signing keys; the
 * second is E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80 of OpenTofu.
 */
export const releaseKeys = {
  terraform: packed([
    "mQINBGB9+xkBEACabYZOWKmgZsHTdRDiyPJxhbuUiKX65GUWkyRMJKi/1dviVxOXPG6hBPtF48IFnVgxKpIb7G6N",
    "jBousAV+CuLlv5yqFKpOZEGC6sBV+Gx8Vu1CICplZm+HpQPcIzwBpN+Ar4l/exCG/f/MZq/oxGgH+TyRF3XcYDjG",
    "8dbJCpHO5nQ5Cy9hQIp3/Bh09kET6lk+4QlofNgHKVT2epV8iK1cXlbQe2tZtfCUtxk+pxvU0UHXp+AB0xc3/gIh",
    "jZp/dePmCOyQyGPJbp5bpO4UeAJ6frqhexmNlaw9Z897ltZmRLGq1p4aRnWL8FPkBz9SCSKXS8uNyV5oMNVn4G1o",
    "bCkc106iWuKBTibffYQzq5TG8FYVJKrhRwWB6piacEB8hl20IIWSxIM3J9tT7CPSnk5RYYCTRHgA5OOrqZhC7Jef",
    "udrP8n+MpxkDgNORDu7GCfAuisrf7dXYjLsxG4tu22DBJJC0c/IpRpXDnOuJN1Q5e/3VUKKWmypNumuQpP5lc1ZF",
    "G64TRzb1HR6oIdHfbrVQfdiQXpvdcFx+Fl57WuUraXRV6qfb4ZmKHX1JEwM/7tu21QE4F1dz0jroLSricZxfaCTH",
    "HWNfvGJoZ30/MZUrpSC0IfB3iQutxbZrwIlTBt+fGLtm3vDtwMFNWM+Rb1lrOxEQd2eijdxhvBOHtlIcswARAQAB",
    "uQINBGB9/iUBEAC4r5ZU4zKJcVFtjsa12/mtj7er4wgbIic61I9D2ut1PpU/Y5XWwgn4D8A6XA7jtTtOUPJNTKGG",
    "eh3XY1p6ihu0t3qpFeXN3Ld2pgF6edd0AymVHyA8pTpoVKr8YxILxo3UY8+pBAhRmK+lZ4/6egMFr+PxQURZa6u3",
    "J0ID8p2yB+Ia1r3sKd06sBlYKpuUUaH7gLoIvImUFZQIkGSaPPMms7QEP+1bFwYh05+tboEPGynQLK/MP2WVOR0n",
    "By6kaJXGINHCjfdXNBGyavZNS1Av/wmpDwfZoYufmlFVBrrCDPBAkoVBIEkwoikIiVD2dghW2zxPS+aPcaDwsY16",
    "F/q+y/1sqAj03qEt2EVDBJ1ir3ONmMc95nkW/gZmqoG4XjZszmoeZzMD7qSWJh641j5F+6Msh8S0hcOHbaD9o+me",
    "xnUVymtnVGHZNsdyWCqHKw6Dx4d0NEwGbo7aXYxYtQUvKW8WBW94R5hknb8+0+ynKj+woQu5NkQCjhohu0EHuDV9",
    "7EjIMHmKZeDsL0Dp+97eQlVmKf4CATWRrFNz7aPINu7x3lsh/Ziq+HEnqQ4cPv1/BRkTXcTX6Sypu1XNEpvUqH/E",
    "0RawU6l/ryELqWB0YuUEArmGlejlayE3noDSt0qOJt/XemowkfUMUW5o58fVHJ0mGA5iAen6QbsE9KIDbQARAQAB",
    "uQINBGCAXCYBEADW6RNrZVGNXvHVBqSiOWaxl1XOiEoiHPt50Aijt25yXbG+0kHIFSoR+1g6Lh20JTCChgfQkGGj",
    "zQvEuG1HTw07YhsvLc0pkjNMfu6gJqFox/ogc53mz69OxXauzUQ/TZ27GDVpUBu+EhDKt1s3OtA6Bjz/csop/Um7",
    "gT0+ivHyvJ/jGdnPEZv8tNuSE/Uo+hn/Q9hg8SbveZzo3C+U4KcabCESEFl8Gq6aRi9vAfa65oxD5jKaIz7cy+pw",
    "b0lizqlW7H9tQlr3dBfdIcdzgR55hTFC5/XrcwJ6/nHVH/xGskEasnfCQX8RYKMuy0UADJy72TkZbYaCx+XXIcVB",
    "8GTOmJVoAhrTSSVLAZspfCnjwnSxisDn3ZzsYrq3cV6sU8b+QlIX7VAjurE+5cZiVlaxgCjyhKqlGgmonnReWOBa",
    "cCgL/UvuwMmMp5TTLmiLXLT7uxeGojEyoCk4sMrqrU1jevHyGlDJH9Taux15GILDwnYFfAvPF9WCid4UZ4Ouwjca",
    "xfys3LxNiZIlUsXNKwS3mhiMRL4TRsbs4k4QE+LIMOsauIvcvm8/frydvQ/kUwIhVTH80XGOH909bYtJvY3fudK7",
    "ShIwm7ZFTduBJUG473E/Fn3VkhTmBX6+PjOC50HR/HybwaRCzfDruMe3TAcE/tSP5CUOb9C7+P+hPzQcDwARAQAB",
  ]),
  opentofu: packed([
    "xsFNBGVUyIwBEADPg6jUJm5liMTiDndyprnwXQ23GdyQm/kW9MFOhYDRksmmbsz0DCfqntFpuoKxPXzA+JTrZlWZ",
    "ONtU+leZjIOlAVZiz0rwz5EJq7uIrkueWtUk6AYkBLN+zMtbui0z3HCPVNnR5BlVNyXQeW3jlrQtzuKevjZWzI0g",
    "bQGgEKNpj+lfyRFu6q3u/T0o3p/6bOOlQHwCMtnFlWpjr6f/J2EdUVO/6NYHQzImPj4LINXF/+eqo7v6svFtaVTt",
    "REG2V2V7We7bu/cJ+NgJYH7ro7UhB1RQH2k09NdpSCt9F60PVERnORpxGBkM/VKZzgMSzRvdpxUWwrLxfAxinu5d",
    "dbBm3y0bzaU80OT3i1qrWIqW73fmdGHQ71gbJxRrroyLMWehjcJ/9WJDxkHqsfPKqBifYsp6/J9npczDfSU+zYBV",
    "GpR73a4EdbeIRWqwbH0LWhlbi1IM5aFDaZMFNkY+AWyP+OHn8Kehu6DOIh1AVM7v7vLxaX9ht1jVJbswjvPFYquv",
    "1DvUdc7VP2QHz3xctQS1GZJQ1ekcgTv9rRYXUOOwknInjtkM9kQDtyBkVLcEc8ha3Cfh6PJscIP5VHwaNMgAPr9t",
    "sl3xqdz56l5UPjFSFuel98jSBqn83VrT0uKwM0PnDVHd/7q8+Dg1EtOggMwZ830KORFNdjfv6ydsBvl7fwARAQAB",
  ]),
} as const;

function packed(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(""), "base64");
}
