# Which modules the local registry has (sourced by registry.sh).
#
# Each version is one that some MODULE.bazel of the graph names. A missing one shows
# as "module not found in registries": add it here.

own rules_go "$rules_go"
own gazelle "$gazelle"
# versions of the two that the two name each other at
for v in 0.59.0; do own rules_go "$v"; done
for v in 0.51.3; do own gazelle "$v"; done

# rules_go's own default SDK: with an (unused) sdks list the extension doesn't ask
# for the list of Go releases; the root module's SDK comes first and is the one used
for v in 0.59.0 "$rules_go"; do
  sed -i 's|^    go_mod = "//:go.mod",$|    go_mod = "//:go.mod",\n    sdks = {"linux_amd64": ["unused", ""]},|' "$modules/registry/modules/rules_go/$v/MODULE.bazel"
done

entry bazel_skylib bazel_skylib "1.3.0 1.5.0 1.6.1 1.7.1 1.8.1 1.9.1" 'register_toolchains("//toolchains/unittest:cmd_toolchain", "//toolchains/unittest:bash_toolchain")
bazel_dep(name = "platforms", version = "0.0.10")
bazel_dep(name = "rules_license", version = "1.0.0")'
entry platforms platforms "0.0.4 0.0.7 0.0.9 0.0.10 1.1.0" 'bazel_dep(name = "rules_license", version = "0.0.7")
host_platform = use_extension("//host:extension.bzl", "host_platform")
use_repo(host_platform, "host_platform")'
entry rules_license rules_license "0.0.3 0.0.7 1.0.0"
entry bazel_features bazel_features "1.4.1 1.9.1 1.11.0 1.18.0 1.36.0" 'bazel_dep(name = "bazel_skylib", version = "1.6.1")
version = use_extension("//private:extensions.bzl", "version_extension")
use_repo(version, "bazel_features_globals", "bazel_features_version")'
entry rules_cc rules_cc "0.0.2 0.0.11 0.0.17 0.1.5" 'bazel_dep(name = "bazel_skylib", version = "1.7.1")
bazel_dep(name = "platforms", version = "0.0.10")
cc_configure = use_extension("//cc:extensions.bzl", "cc_configure_extension")
use_repo(cc_configure, "local_config_cc", "local_config_cc_toolchains")
register_toolchains("@local_config_cc_toolchains//:all")'
entry rules_shell rules_shell "0.2.0 0.3.0" 'bazel_dep(name = "bazel_features", version = "1.18.0")
bazel_dep(name = "bazel_skylib", version = "1.6.1")
bazel_dep(name = "platforms", version = "0.0.10")
sh_configure = use_extension("//shell/private/extensions:sh_configure.bzl", "sh_configure")
use_repo(sh_configure, "local_config_shell")
register_toolchains("@local_config_shell//:all")'
entry rules_proto rules_proto "4.0.0 7.0.2" 'bazel_dep(name = "rules_license", version = "0.0.7")
bazel_dep(name = "bazel_skylib", version = "1.3.0")
bazel_dep(name = "bazel_features", version = "1.4.1")'
entry rules_python rules_python "0.22.1" 'bazel_dep(name = "platforms", version = "0.0.4")
bazel_dep(name = "bazel_skylib", version = "1.3.0")'
own rules_java 7.6.5
stub protobuf "3.19.6 29.0"
stub zlib "1.3.1.bcr.3"
stub buildozer "7.1.2"
stub apple_support "1.23.1"
# package_metadata (supply-chain): the two files that rules_go and gazelle load
stub package_metadata "0.0.5"
mkdir -p "$modules/src/package_metadata"/{providers,rules}
touch "$modules/src/package_metadata"/{providers,rules}/BUILD.bazel
cat >"$modules/src/package_metadata/providers/package_metadata_info.bzl" <<'P'
PackageMetadataInfo = provider(fields = ["metadata", "files"])
P
cat >"$modules/src/package_metadata/rules/package_metadata.bzl" <<'P'
load("//providers:package_metadata_info.bzl", "PackageMetadataInfo")

def _impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".package-metadata.json")
    ctx.actions.write(out, json.encode({"attributes": {}, "label": str(ctx.label), "purl": ctx.attr.purl}))
    return [
        DefaultInfo(files = depset([out])),
        PackageMetadataInfo(metadata = out, files = depset([out])),
    ]

_package_metadata = rule(
    implementation = _impl,
    attrs = {"purl": attr.string(), "attributes": attr.label_list()},
)

def package_metadata(name, purl = None, attributes = [], visibility = None, **kwargs):
    _package_metadata(
        name = name,
        purl = purl,
        attributes = attributes,
        visibility = visibility,
        applicable_licenses = [],
    )
P
# Debian's bazel_features 1.11.0 is older than the 1.36.0 that rules_go 0.65.0 names: add
# the one flag that rules_go reads
sed -i 's|^_rules = struct($|&\n    instrumented_files_info_has_baseline_coverage_files = ge("9.0.0-pre.20250101.1"),|' "$modules/src/bazel_features/features.bzl"
grep -q instrumented_files_info_has_baseline_coverage_files "$modules/src/bazel_features/features.bzl"
# buildozer: only `bazel mod tidy` runs it, but `bazel mod ...` loads its extension
cat >"$modules/src/buildozer/buildozer_binary.bzl" <<'P'
def _repo_impl(rctx):
    rctx.file("buildozer.exe", "#!/bin/sh\necho 'no buildozer here: edit MODULE.bazel by hand' >&2\nexit 1\n")
    rctx.file("BUILD.bazel", 'exports_files(["buildozer.exe"])\n')

_repo = repository_rule(implementation = _repo_impl)

def _ext_impl(_mctx):
    _repo(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _ext_impl)
P
