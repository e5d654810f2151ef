import type { DialogDrawing, Drawing, Rectangle } from "./drawing.ts";

const LINE_HEIGHT = 20;
const TEXT = { font: "14px sans-serif", color: "#1f1f1f" };
const BUTTON = { font: "600 14px sans-serif", align: "center" } as const;

interface TextStyle {
  font: string;
  color: string;
  align?: CanvasTextAlign;
}

export async function drawPicture({ picture, region, dialog }: Drawing): Promise<string> {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = region.width;
  canvas.height = region.height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The page cannot draw");
  context.translate(-region.x, -region.y);
  context.drawImage(image, 0, 0);
  if (dialog !== undefined) drawDialog(context, dialog);
  return canvas.toDataURL("image/png").split(",")[1] ?? "";
}

export function drawDialog(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  { layout, title, message, text, labels }: DialogDrawing,
): void {
  const fill = ({ x, y, width, height }: Rectangle, radius: number | number[], color: string) => {
    context.fillStyle = color;
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    context.fill();
  };
  const write = (
    text: string,
    { x, y, width, height }: Rectangle,
    { font, color, align = "left" }: TextStyle,
  ) => {
    context.font = font;
    context.fillStyle = color;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillText(text, align === "center" ? x + width / 2 : x, y + height / 2, width);
  };

  context.shadowColor = "rgba(0,0,0,.35)";
  context.shadowBlur = 24;
  context.shadowOffsetY = 6;
  fill(layout.box, [0, 0, 12, 12], "#ffffff");
  context.shadowColor = "transparent";
  write(title, layout.title, { ...TEXT, font: "600 15px sans-serif" });
  context.font = TEXT.font;
  const lines = wrapText(context, message, layout.message);
  for (const [index, line] of lines.entries()) {
    const y = layout.message.y + index * LINE_HEIGHT;
    write(line, { ...layout.message, y, height: LINE_HEIGHT }, TEXT);
  }
  if (layout.field !== undefined) {
    fill(layout.field, 4, "#0b57d0");
    const { x, y, width, height } = layout.field;
    const inside = { x: x + 2, y: y + 2, width: width - 4, height: height - 4 };
    fill(inside, 3, "#ffffff");
    write(text, { ...inside, x: inside.x + 8, width: inside.width - 16 }, TEXT);
  }
  fill(layout.accept, 18, "#0b57d0");
  write(labels.accept, layout.accept, { ...BUTTON, color: "#ffffff" });
  if (layout.dismiss !== undefined) {
    fill(layout.dismiss, 18, "#d3e3fd");
    write(labels.dismiss, layout.dismiss, { ...BUTTON, color: "#041e49" });
  }
}

function wrapText(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  text: string,
  { width, height }: Rectangle,
): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const { segment } of segmenter.segment(paragraph)) {
      if (line !== "" && context.measureText(line + segment).width > width) {
        lines.push(line);
        line = segment.trimStart();
      } else {
        line += segment;
      }
    }
    lines.push(line);
  }
  const maximum = Math.floor(height / LINE_HEIGHT);
  return lines.length <= maximum ? lines : [...lines.slice(0, maximum - 1), `${lines[maximum - 1]}…`];
}
