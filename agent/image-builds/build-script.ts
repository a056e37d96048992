/** Finds how layers are stored, and calls the builder so: in the folder $1, by buildah at $2. */
const openScript = `
set -eu
umask 022
B=$1 P=$2 S=$1/storage
shift 2
mkdir -p "$S/context" "$S/home" "$S/tmp"
export HOME="$S/home" TMPDIR="$S/tmp" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
printf '{"default":[{"type":"insecureAcceptAnything"}]}' >"$S/policy.json"
D=vfs
# Mounts of a build that is not kept apart would outlive it. Without them each layer is a whole copy.
if [ "$B" = /build ]; then
  T=$S/try
  mkdir -p "$T/lower" "$T/upper" "$T/work" "$T/merged"
  of=lowerdir=$T/lower,upperdir=$T/upper,workdir=$T/work,userxattr
  if mount -t overlay -o "$of" svc "$T/merged" 2>/dev/null; then
    umount "$T/merged"
    D=overlay
  fi
  rm -rf "$T"
fi
b() {
  "$P" --root "$S/root" --runroot "$S/run" --storage-driver "$D" "$@"
}
`;

/**
 * Where secrets are in the root directory of the build's own, which is in memory. The builder reads them there and copies
 * one for the RUN that mounts it to what it keeps of a container: that is in memory, too. Of a secret that it is given as
 * a variable it depends on the builder's version where it is written.
 */
export const secretFiles = "/run/svc-secrets";

/**
 * Builds an image in the folder $1 by buildah at $2, with what else it is given as options, and writes it to an OCI
 * layout. The exit code says where it ended: 71 in the Dockerfile, 72 at its images, 73 at the layout. Secrets come by
 * descriptor 3, a line each.
 */
export const buildScript = `${openScript}
[ "$D" = overlay ] || echo "each layer is a whole copy here, and none is kept: overlay cannot be mounted"
[ -z "$SVC_ONE_ID" ] || set -- "$@" --storage-opt "$D.ignore_chown_errors=true"
unset SVC_ONE_ID
tar -xzf "$B/context.tar.gz" -C "$S/context" --no-same-owner
find "$S/context" -exec touch -h -d @0 {} +
while read -r reference name; do
  id=$(b pull -q --signature-policy "$S/policy.json" "dir:$B/bases/$reference") || exit 72
  b tag "$id" "$name" || exit 72
done <"$B/names"
if [ -n "$SVC_LAYERS" ] && [ "$D" = overlay ]; then
  while read -r name; do
    b pull -q --signature-policy "$S/policy.json" "oci:$B/layers:$name" >/dev/null || break
  done <"$B/layers/names"
fi
unset SVC_LAYERS
at=0
umask 077
while read -r value <&3; do
  if [ "$B" = /build ]; then
    if [ "$at" = 0 ]; then
      mkdir -p ${secretFiles} "$S/root/$D-containers"
      mount -t tmpfs -o mode=700,size=25%,nosuid,nodev svc "$S/root/$D-containers"
    fi
    printf %s "$value" | base64 -d >"${secretFiles}/$at"
  else
    value=$(printf %s "$value" | base64 -d; printf .)
    eval "export SVC_SECRET_$at=\\\${value%.}"
  fi
  at=$((at + 1))
done
exec 3<&-
umask 022
unset value
b bud --signature-policy "$S/policy.json" --isolation chroot --pull-never --layers \\
  --timestamp 0 --identity-label=false --format oci --cap-drop CAP_SYS_CHROOT --cap-drop CAP_MKNOD \\
  --cap-drop CAP_NET_RAW --http-proxy=false "$@" -f "$B/Dockerfile" -t localhost/svc-built \\
  "$S/context" </dev/null || exit 71
[ "$B" != /build ] || rm -rf ${secretFiles}
while [ "$at" -gt 0 ]; do
  at=$((at - 1))
  unset "SVC_SECRET_$at"
done
b push -q --signature-policy "$S/policy.json" localhost/svc-built "oci:$S/out:built" || exit 73
`;

/**
 * Writes what the steps of a build are, whose images begin with the ids that it is given, for `readSteps`: their configs,
 * and the layers of those that no other is made of and that are not the image itself. What there is to know of images
 * and layers is in files that containers' tools share, a line of JSON each.
 */
export const stepsScript = `${openScript}
exec 3<&-
[ "$D" = overlay ] || exit 0
mkdir -p "$S/steps/configs" "$S/steps/manifests" "$S/steps/layout"
split() {
  sed 's/},{"id"/}\\n{"id"/g' "$1"
}
split "$S/root/overlay-layers/layers.json" |
  sed -n 's/^\\[\\{0,1\\}{"id":"\\([0-9a-f]*\\)","parent":"\\([0-9a-f]*\\)".*/\\1 \\2/p' |
  sort >"$S/steps/parents"
split "$S/root/overlay-images/images.json" |
  sed -n 's/^\\[\\{0,1\\}{"id":"\\([0-9a-f]*\\)".*"layer":"\\([0-9a-f]*\\)".*/\\1 \\2/p' >"$S/steps/images"
built=$(b images -q --no-trunc localhost/svc-built)
for id in "$@"; do
  grep "^$id" "$S/steps/images" || :
done | sort -u >"$S/steps/used"
cut -d ' ' -f 2 "$S/steps/used" | sort -u >"$S/steps/layers"
# The layers on which a layer of another step lies need no writing of their own.
join -o 2.2 "$S/steps/layers" "$S/steps/parents" >"$S/steps/inner"
grep "^\${built#sha256:}" "$S/steps/used" | cut -d ' ' -f 2 >>"$S/steps/inner"
while read -r id layer; do
  name=$(printf 'sha256:%s' "$id" | base64 -w 0)
  cp "$S/root/overlay-images/$id/=$name" "$S/steps/configs/$id"
  cp "$S/root/overlay-images/$id/manifest" "$S/steps/manifests/$id"
  grep -q "^$layer\\$" "$S/steps/inner" && continue
  echo "$layer" >>"$S/steps/inner"
  b push -q --signature-policy "$S/policy.json" "$id" "oci:$S/steps/layout:$id"
done <"$S/steps/used"
`;
