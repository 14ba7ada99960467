import { formatCount } from '../../shared/format-count.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { OpenSubmission, OpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import { writeShownWhole } from '../../shared/node/mail/render-html.ts';
import type { MailContent, MailItem, MailSection } from '../../shared/node/mail/mail-content.ts';
import type { MailSettings } from '../mail-settings.ts';

interface DigestContext extends Pick<MailSettings, 'siteName' | 'timeZone' | 'promise'> {
  readonly getRequestUrl: (submissionId: string) => string;
}

interface DigestFacts extends OpenSubmissions {
  readonly deadCount: number;
  /** The mail server refused the mail that names who asked: this one doesn't. */
  readonly wasRefused: boolean;
}

function describe(
  submission: OpenSubmission,
  { timeZone, promise, getRequestUrl }: DigestContext,
  wasRefused: boolean,
): MailItem {
  const answerBy = formatTime(getAnswerBy(submission, promise), timeZone, 'short');
  const received = formatTime(submission.receivedAt, timeZone, 'short');

  return {
    title: wasRefused ? `Received ${received}` : submission.company,
    rows: [
      ...(wasRefused
        ? []
        : [
            { label: 'Name', value: submission.name },
            { label: 'Received', value: received },
          ]),
      { label: submission.isOverdue ? 'Overdue since' : 'Answer by', value: answerBy },
      ...(submission.assignedTo === null ? [] : [{ label: 'With', value: submission.assignedTo, isOwn: true as const }]),
    ],
    link: { label: 'Mark as contacted', url: getRequestUrl(submission.id) },
  };
}

function makeSections(facts: DigestFacts, context: DigestContext): MailSection[] {
  const makeSection = (title: string, isOverdue: boolean) => ({
    title,
    isUrgent: isOverdue,
    isCompact: false,
    items: facts.first
      .filter((submission) => submission.isOverdue === isOverdue)
      .map((submission) => describe(submission, context, facts.wasRefused)),
  });

  return [makeSection('Overdue', true), makeSection('Open', false)].filter(
    ({ items }) => items.length > 0,
  );
}

/** What else needs attention, of sales and of the operators; empty when nothing does. */
function describeUpkeep({ heldCount, deadCount }: DigestFacts): string {
  return [
    heldCount > 0 ? ` ${formatCount(heldCount, 'request is', 'requests are')} held as possible spam: the mail about them has the links.` : '',
    deadCount > 0 ? ` For operations: ${formatCount(deadCount, 'delivery has', 'deliveries have')} failed for good.` : '',
  ].join('');
}

/**
 * Writes the mail that lists what waits for an answer, as much of it as mail programs show; undefined when nothing is
 * open, held or dead.
 */
export function writeDigestMail(facts: DigestFacts, context: DigestContext): MailContent | undefined {
  const { first, openCount } = facts;
  if (openCount === 0 && describeUpkeep(facts) === '') return undefined;

  return writeShownWhole(first.length, (count) => writeList({ ...facts, first: first.slice(0, count) }, context));
}

function writeList(facts: DigestFacts, context: DigestContext): MailContent {
  const { first, openCount, overdueCount, wasRefused } = facts;
  const upkeep = describeUpkeep(facts);
  const rest = openCount - first.length;
  const more = rest > 0 ? `And ${rest} more. ` : '';
  const state = `${formatCount(openCount, 'request is', 'requests are')} open, ${overdueCount} overdue.`;
  const refusal = wasRefused ? ' The mail server refused the mail that names who asked: only the pages do.' : '';

  return {
    siteName: context.siteName,
    subject: `[${context.siteName}] Open requests: ${openCount}, ${overdueCount} overdue`,
    preview: `${state}${upkeep}`,
    heading: 'Open requests',
    lead: `${state}${openCount === 0 ? '' : ' Answer them from the top, and mark each as contacted.'}${refusal}`,
    highlight: null,
    rows: [],
    message: null,
    link: null,
    sections: makeSections(facts, context),
    note: `${more}This list comes once a day and names what nobody has marked as contacted.${upkeep}`,
    noteLink: null,
  };
}
