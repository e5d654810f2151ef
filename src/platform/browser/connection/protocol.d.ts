import "devtools-protocol/types/protocol-mapping.js";

/** Commands that are missing in the protocol version that Puppeteer pins. */
declare module "devtools-protocol/types/protocol-mapping.js" {
  namespace ProtocolMapping {
    interface Commands {
      "Browser.setContentsSize": {
        paramsType: [{ windowId: number; width?: number; height?: number }];
        returnType: undefined;
      };
      "Extensions.getExtensions": {
        paramsType: [];
        returnType: { extensions: { id: string; enabled?: boolean }[] };
      };
      "Emulation.getScreenInfos": {
        paramsType: [];
        returnType: { screenInfos: { id: string }[] };
      };
      "Emulation.updateScreen": {
        paramsType: [{ screenId: string; width?: number; height?: number }];
        returnType: undefined;
      };
    }
  }
}
