# A local Bazel registry (sourced by build.sh): PREFIX/modules/registry, whose
# modules' sources are Debian's bazel-* packages and two Go modules.
# Uses: stage, prefix, here.

rules_go=0.65.0
gazelle=0.53.0

# registry_fetch gets rules_go and gazelle; the go command checks them against the
# checksum database. An empty main module keeps the project's go.mod out of it.
registry_fetch() {
  mkdir -p "$stage/gomod"
  cd "$stage/gomod"
  echo 'module m' >go.mod
  export GOFLAGS=-mod=mod GOWORK=off GOTOOLCHAIN=local
  go mod download "github.com/bazelbuild/rules_go@v$rules_go" "github.com/bazelbuild/bazel-gazelle@v$gazelle"
  local src=$stage/out/modules/src modcache v2
  modcache=$(go env GOMODCACHE)
  mkdir -p "$src"
  cp -r "$modcache/github.com/bazelbuild/rules_go@v$rules_go" "$src/rules_go"
  cp -r "$modcache/github.com/bazelbuild/bazel-gazelle@v$gazelle" "$src/gazelle"
  chmod -R u+w "$src"
  # gazelle's //v2 is a Go module of its own, so it isn't in gazelle's zip
  v2=$(awk '$1 == "github.com/bazel-contrib/bazel-gazelle/v2" {print $2}' "$src/gazelle/go.mod")
  go mod download "github.com/bazel-contrib/bazel-gazelle/v2@$v2"
  cp -r "$modcache/github.com/bazel-contrib/bazel-gazelle/v2@$v2" "$src/gazelle/v2"
  chmod -R u+w "$src"
  # module zips carry no exec bits: give them back to the scripts
  grep -rlE --null '^#!' "$src/rules_go" "$src/gazelle" --include='*.sh' --include='*.bash' | xargs -0 chmod +x
  touch "$src/gazelle/v2/go.sum" # named in gazelle's list of its sources, not in the zip
}

# entry NAME SOURCE VERSIONS [BODY]: a registry entry for each version that any
# MODULE.bazel of the graph names; all of them lead to the one source there is.
entry() {
  local name=$1 source=$2 versions=$3 body=${4:-} v dir
  for v in $versions; do
    dir=$modules/registry/modules/$name/$v
    mkdir -p "$dir"
    { echo "module(name = \"$name\", version = \"$v\")"; [ -z "$body" ] || echo "$body"; } >"$dir/MODULE.bazel"
    echo "{\"type\": \"local_path\", \"path\": \"$source\"}" >"$dir/source.json"
  done
}

# stub NAME VERSIONS: a module that the graph only names and nothing builds.
stub() {
  mkdir -p "$modules/src/$1"
  touch "$modules/src/$1/BUILD.bazel"
  echo "module(name = \"$1\")" >"$modules/src/$1/MODULE.bazel"
  entry "$1" "$1" "$2"
}

# own NAME VERSION: the module's own MODULE.bazel with the version filled in.
own() {
  local dir=$modules/registry/modules/$1/$2
  mkdir -p "$dir"
  sed -E "0,/^ *version = \"[^\"]*\"/s//    version = \"$2\"/" "$modules/src/$1/MODULE.bazel" >"$dir/MODULE.bazel"
  echo "{\"type\": \"local_path\", \"path\": \"$1\"}" >"$dir/source.json"
}

registry_write() {
  local base=$stage/out/install_base m # Debian's bazel-* packages unpack into it
  modules=$stage/out/modules
  mkdir -p "$modules/registry/modules"
  cp -rL "$base/tools/skylib" "$modules/src/bazel_skylib"
  cp -rL "$base/tools/platforms" "$modules/src/platforms"
  cp -rL "$base/tools/features" "$modules/src/bazel_features"
  for m in cc java license proto python shell; do cp -rL "$base/rules/$m" "$modules/src/rules_$m"; done
  chmod -R u+w "$modules/src"
  echo "{\"module_base_path\": \"$prefix/modules/src\"}" >"$modules/registry/bazel_registry.json"
  . "$here/modules.sh"
  chmod -R a+rX "$modules"
}
