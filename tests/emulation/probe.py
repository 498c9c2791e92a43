"""One end of a TCP connection between two hosts of an emulation: measures round trips and how fast bytes arrive.

probe.py listen ADDRESS PORT             answers one connection
probe.py round-trip ADDRESS PORT BYTES   prints the least seconds of many exchanges of BYTES there and back
probe.py stream ADDRESS PORT SECONDS     sends for so long; the listener prints bytes/s of the second half
"""

import socket
import sys
import time

EXCHANGES = 60


def receive(connection, size):
    got = b""
    while len(got) < size:
        part = connection.recv(size - len(got))
        if not part:
            raise EOFError
        got += part
    return got


def listen(address, port):
    with socket.create_server((address, port)) as server:
        server.settimeout(30)
        connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(30)
    kind, value = receive(connection, 32).decode().split()
    if kind == "round-trip":
        for _ in range(EXCHANGES):
            connection.sendall(receive(connection, int(value)))
        return
    arrived, total = [(time.monotonic(), 0)], 0
    while part := connection.recv(1 << 20):
        total += len(part)
        arrived.append((time.monotonic(), total))
    middle = (arrived[0][0] + arrived[-1][0]) / 2
    start = next(each for each in arrived if each[0] >= middle)
    print((arrived[-1][1] - start[1]) / (arrived[-1][0] - start[0]))


def connect(address, port):
    for _ in range(100):
        try:
            connection = socket.create_connection((address, port), timeout=30)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise TimeoutError(f"nobody listens at {address}")


def round_trip(connection, size):
    message, least = b"x" * size, float("inf")
    for _ in range(EXCHANGES):
        start = time.perf_counter()
        connection.sendall(message)
        receive(connection, size)
        least = min(least, time.perf_counter() - start)
    print(least)


def stream(connection, seconds):
    message, end = bytes(1 << 16), time.monotonic() + seconds
    while time.monotonic() < end:
        connection.sendall(message)


def main():
    kind, address, port, *rest = sys.argv[1:]
    if kind == "listen":
        listen(address, int(port))
        return
    with connect(address, int(port)) as connection:
        connection.sendall(f"{kind} {rest[0]}".ljust(32).encode())
        if kind == "round-trip":
            round_trip(connection, int(rest[0]))
        else:
            stream(connection, float(rest[0]))


main()
