# Takes the agent's connection to the host, as the sandbox's root, and answers in its place.
import ctypes, os, signal, struct, sys, time

mode = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
agent = os.pidfd_open(2)
PIDFD_GETFD = 438


def take(descriptor):
    taken = libc.syscall(PIDFD_GETFD, agent, descriptor, 0)
    if taken < 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    return taken


if mode == "errors":
    errors = take(2)
    os.set_blocking(errors, False)
    written, waited = 0, 0
    # Until the host has not read for a second, or much too much.
    while waited < 50 and written < 2**26:
        try:
            written += os.write(errors, b"x" * 65536)
            waited = 0
        except BlockingIOError:
            waited += 1
            time.sleep(0.02)
    print("less than 4 MiB" if written < 2**22 else "more")
    sys.exit()

connection = take(3)
os.kill(2, signal.SIGSTOP)
os.set_blocking(connection, True)

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind, flags, stream, payload=b""):
    size = len(payload).to_bytes(3, "big")
    os.write(connection, size + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload)


def read(size):
    data = b""
    while len(data) < size:
        more = os.read(connection, size - len(data))
        if not more:
            sys.exit()
        data += more
    return data


def status(text):
    return b"\x08" + bytes([len(text)]) + text.encode()


if mode == "garbage":
    os.write(connection, os.urandom(2**20))
while mode == "pings":
    frame(PING, 0, 0, b"12345678")
while True:
    head = read(9)
    kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
    read(int.from_bytes(head[:3], "big"))
    if kind == SETTINGS and not flags & ACK:
        frame(SETTINGS, ACK, 0)
    if kind != HEADERS:
        continue
    if mode == "reset":
        frame(RST_STREAM, 0, stream, struct.pack(">I", 8))
    elif mode == "goaway":
        frame(GOAWAY, 0, 0, struct.pack(">II", 2**31 - 1, 0))
    elif mode == "status":
        frame(HEADERS, END_HEADERS | END_STREAM, stream, status("042"))
    elif mode == "endless":
        frame(HEADERS, END_HEADERS, stream, status("200"))
        while True:
            frame(DATA, 0, stream, b"x" * 16384)
