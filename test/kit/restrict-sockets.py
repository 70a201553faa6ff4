# Runs a command in which only IPv4, IPv6 and Unix sockets can be opened, as with RestrictAddressFamilies of systemd.
# Usage: restrict-sockets.py <command> [arguments]
import ctypes
import os
import platform
import socket
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL_WITH_EAFNOSUPPORT = 0x7FFF0000, 0x00050000 | 97
# Where the kernel puts the number and the first argument of a system call.
NUMBER, FIRST_ARGUMENT = 0, 16
SOCKET_CALL = {"x86_64": 41, "aarch64": 198}[platform.machine()]

# Each instruction: operation, how many to skip if equal, if not, and a value.
program = [
    (LOAD, 0, 0, NUMBER),
    (JUMP_IF_EQUAL, 0, 4, SOCKET_CALL),
    (LOAD, 0, 0, FIRST_ARGUMENT),
    (JUMP_IF_EQUAL, 2, 0, socket.AF_UNIX),
    (JUMP_IF_EQUAL, 1, 0, socket.AF_INET),
    (JUMP_IF_EQUAL, 0, 1, socket.AF_INET6),
    (RETURN, 0, 0, ALLOW),
    (RETURN, 0, 0, FAIL_WITH_EAFNOSUPPORT),
]
code = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
buffer = ctypes.create_string_buffer(code, len(code))


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_void_p)]


def control(*arguments):
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(*arguments, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


control(PR_SET_NO_NEW_PRIVS, 1, 0)
control(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Filter(len(program), ctypes.addressof(buffer))))
os.execvp(sys.argv[1], sys.argv[1:])
