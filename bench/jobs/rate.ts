/** How fast things were done. */
export type Rate = {
  readonly perSecond: number;
  /** Processor time for each, of all processes that do it together, in milliseconds. */
  readonly cpuMs: number;
  /** Memory of all those processes at the end (PSS), in MiB. */
  readonly memoryMib: number;
};
