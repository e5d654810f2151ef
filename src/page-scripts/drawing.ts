export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where the parts of a dialog are drawn, and hence where they are clicked, in pixels of the page. */
export interface DialogLayout {
  box: Rectangle;
  title: Rectangle;
  message: Rectangle;
  /** Only where there is something to type. */
  field?: Rectangle;
  accept: Rectangle;
  /** Not of an alert. */
  dismiss?: Rectangle;
}

/** What `drawPicture` draws. */
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
