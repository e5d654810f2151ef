/** A valid body per operation under `/browsers/:id/computer/`. */
export const COMPUTER_BODIES = {
  move_mouse: { x: 10, y: 20 },
  click_mouse: { x: 10, y: 20 },
  drag_mouse: {
    path: [
      [1, 1],
      [3, 3],
    ],
    smooth: false,
    steps_per_segment: 1,
    step_delay_ms: 0,
  },
  scroll: { x: 10, y: 20, delta_y: 1 },
  type: { text: "a" },
  press_key: { keys: ["a"] },
  cursor: { hidden: true },
  batch: { actions: [{ type: "move_mouse", move_mouse: { x: 10, y: 20 } }] },
  screenshot: {},
  get_mouse_position: undefined,
  "clipboard/read": undefined,
  "clipboard/write": { text: "a" },
} as const;
