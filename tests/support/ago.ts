/** Returns the time `ms` milliseconds ago. */
export const ago = (ms: number) => new Date(Date.now() - ms);
