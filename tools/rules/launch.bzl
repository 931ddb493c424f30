"""`bazel run` for a program that belongs in the caller's folder.

    launch(name = "web", binary = "//host/cmd/keylane", args = ["web"])

`bazel run //:web -- --port 8080` is then `keylane web --port 8080` in the folder where
bazel was called, not in the runfiles tree.
"""

load("@rules_shell//shell:sh_binary.bzl", "sh_binary")

def launch(name, binary, args = [], **kwargs):
    """Runs a binary in the caller's folder.

    Args:
      name: the target's name.
      binary: label of an executable.
      args: arguments that come before the caller's.
      **kwargs: as for any binary.
    """
    sh_binary(
        name = name,
        srcs = [Label("//tools/rules:launch.sh")],
        args = ["$(rlocationpath {})".format(binary)] + args,
        data = [binary],
        **kwargs
    )
