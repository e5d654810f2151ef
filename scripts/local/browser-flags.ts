/**
 * The pages below Chrome's address bar. Nobody sees them in a headless browser, and loading them takes half of
 * the processor time of a launch.
 */
export const ADDRESS_BAR_FEATURES = "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup";
