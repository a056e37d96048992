/**
 * A fresh /proc, where root may make one: namespaces of users may have one of their own only where some of the host's is
 * whole.
 */
export const freshProcScript = `
if unshare --mount true 2>/dev/null
then exec unshare --mount --propagation private -- sh -c 'mount -t proc proc /proc; exec "$@"' svc "$@"
fi
exec "$@"
`;
/**
 * Makes a root directory of its own for a build and goes there for good: programs of the host, which nobody may write,
 * the build's folder, and nothing else of the host's files. It runs as root of new namespaces, in the build's folder;
 * $1 is the script that goes on, and its arguments follow.
 */
export const sandboxScript = `
set -eu
umask 022
for network in $SVC_BLOCKED; do ip route replace blackhole "$network"; done
[ -z "$SVC_BLOCKED" ] || ip link set lo up
R=/tmp
mount -t tmpfs -o mode=755,size=16m,nosuid,nodev svc "$R"
mkdir $R/usr $R/etc $R/proc $R/dev $R/sys $R/run $R/build $R/root $R/tmp $R/var $R/var/tmp $R/host
for folder in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$folder" ]; then cp -P "/$folder" "$R/$folder"
  elif [ -d "/$folder" ]; then
    mkdir "$R/$folder"
    mount --rbind "/$folder" "$R/$folder"
    mount -o remount,bind,ro,nosuid,nodev "$R/$folder"
  fi
done
mount --rbind /usr $R/usr
mount -o remount,bind,ro,nosuid,nodev $R/usr
mount -t proc -o nosuid,nodev,noexec proc $R/proc
mount -t tmpfs -o mode=755,size=1m,nosuid,noexec dev $R/dev
for device in null zero full random urandom tty; do
  : >"$R/dev/$device"
  mount --bind "/dev/$device" "$R/dev/$device"
done
mkdir $R/dev/shm $R/dev/pts
mount -t tmpfs -o mode=1777,size=64m,nosuid,nodev shm $R/dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts $R/dev/pts
ln -s pts/ptmx $R/dev/ptmx
ln -s /proc/self/fd $R/dev/fd
ln -s fd/0 $R/dev/stdin
ln -s fd/1 $R/dev/stdout
ln -s fd/2 $R/dev/stderr
mount -c --bind . $R/build
mkdir -p -m 700 storage/tmp
mount -c --bind storage/tmp $R/tmp
mount -c --bind storage/tmp $R/var/tmp
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache $R/etc/
printf 'root:x:0:0:root:/root:/bin/sh\\nnobody:x:65534:65534:nobody:/:/bin/false\\n' >$R/etc/passwd
printf 'root:x:0:\\nnogroup:x:65534:\\n' >$R/etc/group
printf '127.0.0.1 localhost\\n' >$R/etc/hosts
: >$R/etc/resolv.conf
[ -z "$SVC_BLOCKED" ] || printf 'nameserver 10.0.2.3\\n' >$R/etc/resolv.conf
unset SVC_BLOCKED
hostname build 2>/dev/null || :
cd $R
pivot_root . host
cd /build
umount -l /host
rmdir /host
exec sh -c "$@"
`;
