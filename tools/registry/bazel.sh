# Debian's Bazel under a private prefix (sourced by build.sh).
#
# The suite that has it is newer than most machines, so every binary gets the
# prefix's own dynamic loader and library path. The system's libc, its dpkg
# database and its package lists stay as they are.
# Uses: stage (scratch), prefix (where it will live: paths are baked in), version.

suite=${BAZEL_DEBIAN_SUITE:-forky}
apt_options=(
  -o Dir::Etc::SourceList="$stage/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o Dir::State="$stage/state" -o Dir::State::Lists="$stage/lists" -o Dir::State::status="$stage/status"
  -o Dir::Cache="$stage/cache" -o Dir::Log="$stage/aptlog" -o Acquire::Languages=none -o Acquire::Retries=3
  -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
  -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false -o APT::Architecture=amd64
)

# What the Bazel client, its server and its helpers load, out of the whole
# dependency closure (which has a desktop's worth of Java build tools).
wanted_packages='
bazel-bootstrap
bazel-bootstrap-data
bazel-(features|platforms|skylib|rules-.*)
libc6
libgcc-s1
libstdc[+][+]6
zlib1g
libzstd1
libssl[0-9].*
libcares2
libre2-.*
libabsl[0-9]+
libgrpc[+]*[0-9.]*(t64)?
libprotobuf[0-9]+(t64)?
libblake3-0
openjdk-[0-9]+-jre-headless
patchelf
velocity
lib(animal-sniffer|async-profiler|caffeine|checker-framework|commons-compress|commons-io|commons-lang|commons-pool2|diffutils|error-prone|fastutil|google-api-client|google-auth|google-auto-common|google-auto-service|google-auto-value|google-flogger|google-gson|google-http-client|grpc|guava|hamcrest|java-allocation-instrumenter|javapoet|jcip-annotations|jcommander|jsr305|netty|netty-buffer|netty-common|perfmark|proguard|protobuf|reactive-streams|rx|tomcat9|truth|xz)-java
'

# bazel_resolve asks a package list of its own which packages are needed.
bazel_resolve() {
  mkdir -p "$stage"/{state,lists/partial,cache/archives/partial,aptlog,debs,root}
  : >"$stage/status"
  # the same archive that the machine's own apt uses, at another suite
  local mirror=${DEBIAN_MIRROR:-}
  [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$') ||
    { echo "no Debian archive in this machine's apt sources; set DEBIAN_MIRROR"; return 1; }
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$stage/sources.list"
  apt-get "${apt_options[@]}" update -qq
  # libblake3-0 is needed by libunix_jni.so inside the server's jar, but missing from Debian's Depends.
  apt-get "${apt_options[@]}" install -y --print-uris bazel-bootstrap bazel-rules-shell libblake3-0 default-jre-headless patchelf |
    sed -n "s/^'[^']*' \([^ ]*\) .*/\1/p" | sort -u >"$stage/closure"
  local offered
  offered=$(sed -n 's/^bazel-bootstrap_\([0-9.]*\).*/\1/p' "$stage/closure" | head -n 1)
  case $offered in
    "$version"*) ;;
    *) echo "Debian $suite offers Bazel ${offered:-nothing}, .bazelversion wants $version; set BAZEL_DEBIAN_SUITE"; return 1 ;;
  esac
  sed 's/_.*//' "$stage/closure" | grep -xE -e "$(echo "$wanted_packages" | sed '/^$/d' | paste -sd '|')" >"$stage/packages"
}

bazel_download() {
  cd "$stage/debs"
  # shellcheck disable=SC2046 # one word a package
  apt-get "${apt_options[@]}" download -qq $(cat "$stage/packages")
}

bazel_unpack() {
  local deb
  for deb in "$stage"/debs/*.deb; do dpkg-deb -x "$deb" "$stage/root"; done
}

bazel_relocate() {
  local root=$stage/root out=$stage/out arch=x86_64-linux-gnu f link target
  mkdir -p "$out"/{bin,libexec,lib,usr/share}
  cp -a "$root/usr/lib/$arch"/*.so* "$out/lib/"
  cp -a "$root/usr/share/bazel" "$out/install_base"
  cp -a "$root/usr/share/java" "$out/usr/share/java"
  cp "$root/usr/bin/bazel" "$out/libexec/bazel-real"
  # the install base holds links into /usr: make them files
  for f in build-runfiles daemonize linux-sandbox process-wrapper; do
    rm -f "$out/install_base/$f"
    cp "$root/usr/libexec/$arch/bazel/$f" "$out/install_base/$f"
  done
  local zipper=install_base/embedded_tools/tools/zip/zipper/zipper
  rm -f "$out/install_base/libcpu_profiler.so" "$out/$zipper"
  cp "$root/usr/lib/$arch/bazel/libcpu_profiler.so" "$out/install_base/"
  cp "$root/usr/libexec/$arch/bazel/zipper" "$out/$zipper"

  # The server's class path: the same jars under this prefix, plus those that Debian's jars reach
  # only through absolute Class-Path lines; without perfmark every client call fails.
  { cat "$root/usr/share/bazel/bazel_classpath_debian_depends.txt"
    printf '/usr/share/java/%s.jar\n' perfmark-api animal-sniffer-annotations protobuf error-prone-annotations
  } | while read -r f; do [ ! -e "$root$f" ] || echo "$prefix$f"; done >"$out/install_base/bazel_classpath_debian_depends.txt"
  # Debian's jar has no build label: native.bazel_version would be "", which rules read as "newest".
  mkdir "$out/install_base/build-data"
  echo "build.label=$(cat "$root/usr/share/bazel/build-label.txt")" >"$out/install_base/build-data/build-data.properties"
  echo "$prefix/install_base/build-data" >>"$out/install_base/bazel_classpath_debian_depends.txt"

  # the Java runtime, with its /etc links made files
  cp -a "$(find "$root/usr/lib/jvm" -maxdepth 1 -type d -name 'java-*-openjdk-amd64' | head -n 1)" "$out/jvm"
  rm -rf "$out/jvm"/{docs,man,legal}
  find "$out/jvm" -type l | while read -r link; do
    target=$(readlink "$link")
    case $target in /etc/*) if [ -e "$root$target" ]; then rm "$link"; cp -L "$root$target" "$link"; fi ;; esac
  done

  # Own loader, own libraries. patchelf itself comes from the newer suite too, so it runs by that loader.
  # (Java starts every process through lib/jspawnhelper: unpatched, all commands of repository rules fail.)
  local patch=("$out/lib/ld-linux-x86-64.so.2" --library-path "$out/lib" "$root/usr/bin/patchelf"
    --set-interpreter "$prefix/lib/ld-linux-x86-64.so.2" --force-rpath)
  [ -e "$out/lib/ld-linux-x86-64.so.2" ] || cp -L "$(find "$root" -name ld-linux-x86-64.so.2 | head -n 1)" "$out/lib/"
  for f in libexec/bazel-real install_base/{build-runfiles,daemonize,linux-sandbox,process-wrapper} "$zipper"; do
    "${patch[@]}" --set-rpath "$prefix/lib" "$out/$f"
  done
  for f in "$out"/jvm/bin/* "$out/jvm/lib/jspawnhelper"; do
    "${patch[@]}" --set-rpath "$prefix/jvm/lib:$prefix/jvm/lib/server:$prefix/lib" "$f"
  done

  cat >"$out/bin/bazel" <<W
#!/bin/sh
exec "$prefix/libexec/bazel-real" --nosystem_rc --install_base="$prefix/install_base" --trust_install_base \\
  --server_javabase="$prefix/jvm" --bazelrc="$prefix/bazelrc" "\$@"
W
  { echo "# What only this Bazel needs; the workspace's own .bazelrc is read as well."
    echo "common --registry=file://$prefix/modules/registry"
    # what one clone has built the next one need not build; the oldest of it goes at 8 GB
    echo "build --disk_cache=$(dirname "$prefix")/disk --experimental_disk_cache_gc_max_size=8G"
    # a sandbox has a /tmp of its own: a prefix in there must be shown to it
    case $prefix/ in /tmp/*) echo "build --sandbox_add_mount_pair=$prefix" ;; esac
  } >"$out/bazelrc"
  chmod 755 "$out/bin/bazel"
  cp "$stage/packages" "$out/debian-packages.txt"
  chmod -R a+rX "$out"
}
