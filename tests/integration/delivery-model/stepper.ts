/** The points at which an attempt waits for the next command. */
export type Gate = 'claimed' | 'composed' | 'handed-over' | 'taken';

/** How the receiver refuses: temporarily, permanently, because of a rate limit, or because of the credentials. */
export const refusals = ['temporary', 'permanent', 'rate-limit', 'credentials'] as const;
export type Refusal = (typeof refusals)[number];

/** How an attempt continues: normally, with one recipient deferred, or refused. */
export type Decision = 'go-on' | 'defer' | Refusal;

interface Waiting {
  readonly gate: Gate;
  readonly decide: (decision: Decision) => void;
  readonly fail: (error: Error) => void;
}

export type Stepper = ReturnType<typeof createStepper>;

/** Runs an attempt from gate to gate. Commands decide when it continues and how. */
export function createStepper() {
  let waiting: Waiting | undefined;
  let endStep: () => void = () => undefined;
  let failStep: (error: unknown) => void = () => undefined;

  const untilNextGate = (go: () => void) =>
    new Promise<void>((resolve, reject) => {
      endStep = resolve;
      failStep = reject;
      go();
    });

  const leaveGate = (go: (from: Waiting) => void) => {
    const from = waiting;
    if (!from) throw new Error('No attempt is waiting.');
    waiting = undefined;

    return untilNextGate(() => go(from));
  };

  return {
    /** Returns the gate at which the attempt waits, or undefined if there is no attempt. */
    getGate: () => waiting?.gate,
    /** Stops the attempt at a gate until `goOn` or `fail` is called. */
    stopAt: (gate: Gate) =>
      new Promise<Decision>((decide, fail) => {
        waiting = { gate, decide, fail };
        endStep();
      }),
    /** Starts an attempt. Resolves at its first gate or its end, or rejects with its error. */
    begin: (attempt: () => Promise<unknown>) =>
      untilNextGate(() => {
        attempt().then(
          () => endStep(),
          (error: unknown) => failStep(error),
        );
      }),
    /** Continues the attempt. Resolves at its next gate or its end. */
    goOn: (decision: Decision) => leaveGate(({ decide }) => decide(decision)),
    /** Fails the call that waits at the gate. Resolves at the attempt's next gate or its end. */
    fail: (error: Error) => leaveGate(({ fail }) => fail(error)),
  };
}
