"""A page in headless Chromium, driven over a pipe (Chrome DevTools Protocol)."""

import json
import os
import subprocess
import time

NAMED_ROLES = {"button", "combobox", "textbox", "spinbutton", "searchbox", "image", "img", "link", "checkbox", "table", "region"}
PATIENCE_S = 120


class Chromium:
    """Opens one page at a time; `complaints` are warnings, errors and requests of all of them."""

    def __init__(self, browser, folder):
        to_browser, self.sending = os.pipe()
        self.receiving, from_browser = os.pipe()

        def place():
            os.dup2(to_browser, 1003)
            os.dup2(from_browser, 1004)
            os.dup2(1003, 3)
            os.dup2(1004, 4)

        self.process = subprocess.Popen(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.buffer = b""
        self.session = None
        self.is_loaded = False
        self.complaints = []

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.sending)
        os.close(self.receiving)

    def message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.receiving, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.sending, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            self.listen(message)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def listen(self, message):
        method, said = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.is_loaded = True
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("warning", "error"):
            self.complaints.append(str(said["args"]))
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(said["exceptionDetails"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("warning", "error"):
            self.complaints.append(said["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not said["request"]["url"].startswith(("file:", "blob:", "data:")):
            self.complaints.append("loads " + said["request"]["url"])

    def open(self, address):
        """Returns once it is loaded."""
        self.is_loaded = False
        self.call("Page.navigate", url=address)
        while not self.is_loaded:
            self.listen(self.message())

    def value(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def wait(self, expression, is_right):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            value = self.value(expression)
            if is_right(value):
                return value
            time.sleep(0.05)
        raise RuntimeError(f"{expression} is {value} after {PATIENCE_S} s")

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}[key])

    def accessible(self):
        """What a screen reader is told: role and name of each node."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [{"role": node.get("role", {}).get("value"), "name": node.get("name", {}).get("value", "")}
                for node in nodes if not node.get("ignored")]

    def look(self, width, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self):
        return self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
