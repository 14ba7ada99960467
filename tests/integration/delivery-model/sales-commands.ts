import { signLinkToken } from '../../../shared/node/mail/signed-action-link.ts';
import { UNDO_MINUTES } from '../../../shared/node/contact/submission-events.ts';
import { pathTo } from '../../../shared/paths.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { makeCommand, type Command } from './command.ts';
import { isErased, press } from './people-commands.ts';
import { isSettled, trackOutcomes, pick, updateAccepted, type Accepted, type RecordedOutcome, type World } from './world.ts';

/*
 * Commands that sales sends through the link in a mail about a request.
 */

/** Submits a form on the linked page, and updates the request's outcomes in the model. */
async function send(
  world: World,
  request: Accepted,
  form: Record<string, string>,
  done: readonly RecordedOutcome[],
): Promise<void> {
  const token = signLinkToken('follow-up', request.id, world.site.config.linkSecrets);
  if (!(await press(world, pathTo.followUp(token), request, form))) return;
  updateAccepted(world, request.id, { done });
  trackOutcomes(world);
}

const isOpen = (world: World, request: Accepted) =>
  request.plannedAt !== undefined && !isSettled(request) && !isErased(world, request);

/** Whether an outcome repeats the current one. Sending a form twice changes nothing. */
function isRepeated(
  { stored }: World,
  { id, done }: Accepted,
  { what, to, until = 0, isPastPromise }: RecordedOutcome,
): boolean {
  const last = done.findLast((outcome) => outcome.what === what);
  const turn = stored.events.find((event) => event.submissionId === id && event.what === 'rotate');
  if (what === 'assign') return (last ?? turn)?.to === to;

  return (
    what === 'snooze' &&
    last?.isPastPromise === isPastPromise &&
    Math.abs(until - (last?.until ?? 0)) < 1 * Minute
  );
}

type NewOutcome = Omit<RecordedOutcome, 'time'>;

/** Makes a command that records an outcome. It changes nothing unless the request is open. */
const makeOutcomeCommand = (
  call: string,
  number: number,
  makeNewOutcome: (world: World) => NewOutcome,
  makeForm: () => Record<string, string>,
): Command =>
  makeCommand({
    call,
    check: ({ accepted }) => accepted.length > 0,
    run: (world) => {
      const request = pick(world.accepted, number);
      const outcome = { ...makeNewOutcome(world), time: world.site.readTime() };
      const isDone = isOpen(world, request) && !isRepeated(world, request, outcome);

      return send(world, request, makeForm(), isDone ? [...request.done, outcome] : request.done);
    },
  });

/** Sales marks a request as contacted. */
export const contact = (number: number): Command =>
  makeOutcomeCommand(`contact(${number})`, number, () => ({ what: 'contacted' }), () => ({}));

/** Sales marks a request as not a fit. */
export const reject = (number: number): Command =>
  makeOutcomeCommand(`reject(${number})`, number, () => ({ what: 'unfit' }), () => ({ action: 'unfit' }));

/** A late reminder's delay in milliseconds. `settle` lets more time pass, so every reminder is sent. */
const LATE = 30 * Hour;

/** Sales asks for a reminder in two hours, or after the promised time. */
export const snooze = (number: number, isLate: boolean, isPastPromise: boolean): Command =>
  makeOutcomeCommand(
    `snooze(${number}, ${isLate}, ${isPastPromise})`,
    number,
    ({ site }) => ({
      ...{ what: 'snooze', isPastPromise },
      until: site.readTime() + (isLate ? LATE : 2 * Hour),
    }),
    () => ({
      action: 'snooze',
      // The model shifts stored times and leaves the real clock alone.
      until: isLate ? new Date(Date.now() + LATE).toISOString() : '2h',
      ...(isPastPromise && { past_promise: 'yes' }),
    }),
  );

/** Sales hands a request to a colleague. Repeating this changes nothing. */
export const handOver = (number: number, colleague: number): Command => {
  const to = colleague === 0 ? 'first@sales.example' : 'second@sales.example';

  return makeOutcomeCommand(
    `handOver(${number}, ${colleague})`,
    number,
    () => ({ what: 'assign', to }),
    () => ({ action: 'assign', to }),
  );
};

/** Sales undoes the last outcome if it is recent enough. */
export const undo = (number: number): Command =>
  makeCommand({
    call: `undo(${number})`,
    check: ({ accepted }) => accepted.some(({ done }) => done.length > 0),
    run: async (world) => {
      const request = pick(
        world.accepted.filter(({ done }) => done.length > 0),
        number,
      );
      const event = world.stored.events.findLast(
        ({ submissionId, isUndone, what }) => submissionId === request.id && !isUndone && what !== 'rotate',
      );
      const age = world.site.readTime() - (request.done.at(-1)?.time ?? 0);
      const isUndoable = age < UNDO_MINUTES * Minute && !isErased(world, request);
      const done = isUndoable ? request.done.slice(0, -1) : request.done;
      await send(world, request, { action: 'undo', event: event?.id ?? '' }, done);
    },
  });
