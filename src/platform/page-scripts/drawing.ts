export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface DialogLayout {
  box: Rectangle;
  title: Rectangle;
  message: Rectangle;
  field?: Rectangle;
  accept: Rectangle;
  dismiss?: Rectangle;
}

export interface DialogDrawing {
  layout: DialogLayout;
  title: string;
  message: string;
  text: string;
  labels: { accept: string; dismiss: string };
}

export interface Drawing {
  picture: string;
  region: Rectangle;
  dialog?: DialogDrawing;
}
