/**
 * Features that a headless browser does without:
 *
 * - the pages below Chrome's address bar, which nobody sees and which take half of the processor time of a
 *   launch;
 * - the shade on pages while another page of their process waits for a debugger, as each popup does that a
 *   client attaches to. Chrome sometimes leaves it on the opener until that reloads (seen in 156).
 */
export const UNUSED_FEATURES =
  "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,ShowHudDisplayForPausedPages";
