/** Globals of workerd that Node lacks. */
class PlainStream extends TransformStream<Uint8Array, Uint8Array> {
  // The length of a FixedLengthStream matters only to HTTP.
  constructor(_length?: number) {
    // Copies, because writers may reuse the buffer, as with the streams of workerd.
    super({ transform: (bytes, controller) => controller.enqueue(new Uint8Array(bytes)) });
  }
}

Object.assign(globalThis, { FixedLengthStream: PlainStream, IdentityTransformStream: PlainStream });

if (!("toBase64" in Uint8Array.prototype)) {
  Object.defineProperty(Uint8Array.prototype, "toBase64", {
    value(this: Uint8Array) {
      return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString("base64");
    },
  });
  Object.defineProperty(Uint8Array, "fromBase64", {
    value: (text: string) => new Uint8Array(Buffer.from(text, "base64")),
  });
}
