import { useState, type ReactNode } from 'react';
import type { FollowUpState } from '../../../shared/page-state.ts';
import { useIsHydrated } from '../../app/page-state.tsx';
import { wakeNow } from '../../app/wake-conditions.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { SubmitButton } from '../../components/submit-button.tsx';
import { ActionForm } from './action-form.tsx';
import { Status } from './follow-up-status.tsx';
import styles from './follow-up.module.css';
import { useReader } from './reader-memory.ts';

/** Marks the request as contacted, also when the mail program takes the page's place. Returns whether it is marked. */
function markContacted(path: string, reader: string | null): Promise<boolean> {
  const body = new URLSearchParams({ action: 'contacted', reader: reader ?? '' });

  return fetch(path, { method: 'POST', body, keepalive: true }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Moves the focus from the button that was pressed, and is gone. */
const focus = (element: HTMLElement | null) => element?.focus();

function Marked({ path }: Pick<FollowUpState, 'path'>) {
  return (
    <div className={styles.done}>
      <p role="status" tabIndex={-1} ref={focus}>
        Marked as contacted. No more reminders about this request will be sent.
      </p>
      <ActionForm path={path} action="undo">
        <SubmitButton variant="outline">Undo ‘Marked as contacted’</SubmitButton>
      </ActionForm>
    </div>
  );
}

type OutcomeButtonsProps = FollowUpState & { readonly children: ReactNode };

/** The usual outcomes, before others. Without scripts "Reply to …" only opens the draft. */
export function OutcomeButtons({ children, ...state }: OutcomeButtonsProps) {
  const { path, reply, isKnown, choices, assignedTo } = state;
  const reader = useReader(state);
  const isHydrated = useIsHydrated();
  const [isMarked, setIsMarked] = useState<boolean>();
  if (isMarked === true) return <Marked path={path} />;

  return (
    <>
      <Status {...state} />
      <div className={styles.buttons} {...wakeNow}>
        {reply && (
          <ButtonLink href={reply.url} onClick={() => void markContacted(path, reader).then(setIsMarked)}>
            {reply.label}
          </ButtonLink>
        )}
        <ActionForm path={path} action="contacted">
          <SubmitButton variant={reply ? 'outline' : 'solid'} size="small">
            Mark as contacted
          </SubmitButton>
        </ActionForm>
        {choices?.hasColleagues && reader !== null && reader.toLowerCase() !== assignedTo?.toLowerCase() && (
          <ActionForm path={path} action="assign">
            <input type="hidden" name="to" value={reader} />
            <SubmitButton variant="outline" size="small">
              I’ll take it
            </SubmitButton>
          </ActionForm>
        )}
        {children}
      </div>
      {isMarked === false && <p role="alert">The request isn’t marked yet. Press “Mark as contacted”.</p>}
      <div className={styles.note}>
        {reply && (
          <p>
            Reply opens a draft{isHydrated ? ' and marks the request as contacted.' : '. Then mark the request as contacted.'}
          </p>
        )}
        {!isKnown && <p>Everyone in sales is emailed about what you do here.</p>}
      </div>
    </>
  );
}
