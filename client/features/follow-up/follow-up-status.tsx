import type { FollowUpState } from '../../../shared/page-state.ts';
import { hydrateIfStored } from '../../app/hydration-triggers.ts';
import { SubmitButton } from '../../components/submit-button.tsx';
import { ActionForm } from './action-form.tsx';
import shared from '../../components/shared.module.css';
import styles from './follow-up.module.css';
import { READER_KEY, rememberReader, useReader } from './reader-memory.ts';

/** Returns the decisions so far as sentences. */
function listSentences(state: FollowUpState): string[] {
  const { undone, contactedAt, unfitAt, snoozedUntil, isSnoozedLate, isHandedOver, answerBy } = state;
  const isSettled = contactedAt !== null || unfitAt !== null;
  const last = state.isMailUnderWay
    ? 'A reminder is being sent right now and can no longer be stopped. No other reminders will be sent.'
    : 'No more reminders about this request will be sent.';

  return [
    ...(undone === null ? [] : [`‘${undone.what}’ was undone on ${undone.at}.`]),
    ...(contactedAt === null ? [] : [`Marked as contacted on ${contactedAt}. ${last}`]),
    ...(unfitAt === null ? [] : [`Marked as not a fit on ${unfitAt}. ${last}`]),
    ...(snoozedUntil === null
      ? []
      : [
          `Snoozed. A reminder will be sent on ${snoozedUntil}.${isSnoozedLate ? ` That is after the promised time, ${answerBy}.` : ''}`,
        ]),
    ...(!isHandedOver || isSettled ? [] : [`Assigned to ${state.assignedTo ?? 'someone in sales'}.`]),
  ];
}

/** The decisions so far, with an undo button for a few minutes. */
export function Status(state: FollowUpState) {
  const { path, undo } = state;
  const sentences = listSentences(state);
  if (sentences.length === 0) return null;

  return (
    <div className={styles.done}>
      <div role="status">
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      {undo && (
        <ActionForm path={path} action="undo">
          <input type="hidden" name="event" value={undo.eventId} />
          <SubmitButton variant="outline">Undo ‘{undo.what}’</SubmitButton>
          {undo.until !== null && <p>You can undo this until {undo.until}.</p>}
        </ActionForm>
      )}
    </div>
  );
}

type ReaderProps = Pick<FollowUpState, 'reader' | 'readers' | 'errors' | 'path' | 'otherPath'>;

/** The page's reader, or links for choosing one. Outcomes are recorded under the reader's address. */
export function Reader({ readers, path, otherPath, ...props }: ReaderProps) {
  const reader = useReader(props);
  if (reader !== null) {
    const pathForOthers = otherPath ?? (reader === props.reader ? null : path);

    return (
      <p className={`${shared.note} ${styles.reader}`} {...hydrateIfStored(READER_KEY)}>
        You are {reader}.{' '}
        {pathForOthers !== null && (
          <a href={pathForOthers} onClick={() => rememberReader(null)}>
            Not you?
          </a>
        )}
      </p>
    );
  }

  return (
    readers.length > 0 && (
      <nav className={`${shared.note} ${styles.reader}`} aria-labelledby="readers" {...hydrateIfStored(READER_KEY)}>
        <p id="readers">Who are you? Your name goes into the history.</p>
        <ul>
          {readers.map((one) => (
            <li key={one.address}>
              <a href={one.path} onClick={() => rememberReader(one.address)}>
                {one.address}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    )
  );
}
