/** The time that was so many milliseconds ago. */
export const ago = (ms: number) => new Date(Date.now() - ms);
