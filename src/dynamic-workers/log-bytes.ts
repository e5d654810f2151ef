/** What a line counts for at least, however short it is: lines without number are harm, too. */
export const FEWEST_BYTES_OF_LINE = 32;
