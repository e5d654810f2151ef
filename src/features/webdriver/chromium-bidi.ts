/** Internal modules of chromium-bidi, which may change with any version. */
export { BidiServer } from "chromium-bidi/out/Default/gen/src/bidiMapper/BidiMapper.js";
export { BidiParser } from "chromium-bidi/out/Default/gen/src/bidiTab/BidiParser.js";
export { MapperCdpConnection } from "chromium-bidi/out/Default/gen/src/cdp/CdpConnection.js";
