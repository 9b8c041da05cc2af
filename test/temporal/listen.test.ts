import { expect, test } from "vitest";
import { placeAddress } from "../../src/temporal/listen.js";

// `http://0.0.0.0:8790` was printed, which not every browser opens.
test.each([
  ["0.0.0.0", "http://127.0.0.1:8790"],
  ["::", "http://[::1]:8790"],
  ["::1", "http://[::1]:8790"],
  ["192.168.0.7", "http://192.168.0.7:8790"],
  ["board.example.com", "http://board.example.com:8790"],
])("a server that listens at %s is opened as %s", (host, address) => {
  expect(placeAddress({ host, port: 8790 })).toBe(address);
});
