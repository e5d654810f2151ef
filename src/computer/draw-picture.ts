import type { DialogLayout, Rectangle } from "./dialog-layout.ts";

/** What {@link DRAW_PICTURE} draws. */
export interface Drawing {
  /** A PNG in base64. */
  picture: string;
  /** The part of it that is wanted. */
  region: Rectangle;
  dialog?: {
    layout: DialogLayout;
    title: string;
    message: string;
    /** What its field holds, if it has one. */
    text: string;
    labels: { accept: string; dismiss: string };
  };
}

/**
 * Source of a function that runs in a page of the browser, because that has the fonts of every script: takes a
 * {@link Drawing} and answers with a PNG in base64.
 */
export const DRAW_PICTURE = `async ({ picture, region, dialog }) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = region.width;
  canvas.height = region.height;
  const context = canvas.getContext("2d");
  context.translate(-region.x, -region.y);
  context.drawImage(image, 0, 0);

  const fill = ({ x, y, width, height }, radius, color) => {
    context.fillStyle = color;
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    context.fill();
  };
  const write = (text, { x, y, width, height }, { font, color, align = "left" }) => {
    context.font = font;
    context.fillStyle = color;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillText(text, align === "center" ? x + width / 2 : x, y + height / 2, width);
  };
  const wrap = (text, width, most) => {
    const lines = [];
    for (const paragraph of text.split("\\n")) {
      let line = "";
      for (const { segment } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(paragraph)) {
        if (line !== "" && context.measureText(line + segment).width > width) {
          lines.push(line);
          line = segment.trimStart();
        } else line += segment;
      }
      lines.push(line);
    }
    return lines.length <= most ? lines : [...lines.slice(0, most - 1), lines[most - 1] + "…"];
  };

  if (dialog !== undefined) {
    const { layout, title, message, text, labels } = dialog;
    context.shadowColor = "rgba(0,0,0,.35)";
    context.shadowBlur = 24;
    context.shadowOffsetY = 6;
    fill(layout.box, [0, 0, 12, 12], "#ffffff");
    context.shadowColor = "transparent";
    write(title, layout.title, { font: "600 15px sans-serif", color: "#1f1f1f" });
    context.font = "14px sans-serif";
    const lines = wrap(message, layout.message.width, Math.floor(layout.message.height / 20));
    for (const [index, line] of lines.entries()) {
      const place = { ...layout.message, y: layout.message.y + index * 20, height: 20 };
      write(line, place, { font: "14px sans-serif", color: "#1f1f1f" });
    }
    if (layout.field !== undefined) {
      fill(layout.field, 4, "#0b57d0");
      const { x, y, width, height } = layout.field;
      const inside = { x: x + 2, y: y + 2, width: width - 4, height: height - 4 };
      fill(inside, 3, "#ffffff");
      write(text, { ...inside, x: inside.x + 8, width: inside.width - 16 }, { font: "14px sans-serif", color: "#1f1f1f" });
    }
    fill(layout.accept, 18, "#0b57d0");
    write(labels.accept, layout.accept, { font: "600 14px sans-serif", color: "#ffffff", align: "center" });
    if (layout.dismiss !== undefined) {
      fill(layout.dismiss, 18, "#d3e3fd");
      write(labels.dismiss, layout.dismiss, { font: "600 14px sans-serif", color: "#041e49", align: "center" });
    }
  }
  return canvas.toDataURL("image/png").split(",")[1];
}`;
