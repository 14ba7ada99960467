/** Returns the time a number of milliseconds ago. */
export const ago = (ms: number) => new Date(Date.now() - ms);
