#!/usr/bin/env python3
"""Runs a command on a system without a layer of the sandbox: a call of the kernel fails as if it did not exist.

    without.py landlock|seccomp COMMAND...
"""
import ctypes
import os
import platform
import struct
import sys

CALLS = {"landlock": 444, "seccomp": {"x86_64": 317, "aarch64": 277}[platform.machine()]}
LOAD, EQUAL, RETURN, ERRNO, ALLOW, ENOSYS = 0x20, 0x15, 0x06, 0x00050000, 0x7FFF0000, 38
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
rules = b"".join(struct.pack("HBBI", *rule) for rule in (
    (LOAD, 0, 0, 0), (EQUAL, 0, 1, CALLS[sys.argv[1]]), (RETURN, 0, 0, ERRNO | ENOSYS), (RETURN, 0, 0, ALLOW)))
text = ctypes.create_string_buffer(rules)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(text))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_SECCOMP, FILTER, program, 0, 0) != 0:
    sys.exit(f"cannot filter calls: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[2], sys.argv[2:])
