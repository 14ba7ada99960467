import { useState, type ReactNode } from 'react';
import type { FollowUpState } from '../../../shared/page-state.ts';
import { useIsHydrated } from '../../app/page-state.tsx';
import { hydrateNow } from '../../app/hydration-triggers.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import shared from '../../components/shared.module.css';
import { SubmitButton } from '../../components/submit-button.tsx';
import { ActionForm } from './action-form.tsx';
import { Status } from './follow-up-status.tsx';
import styles from './follow-up.module.css';
import { useReader } from './reader-memory.ts';

type ReplyState = 'sending' | 'marked' | 'settled' | 'failed';

/** Marks the request as contacted, even if the email program replaces the page. */
async function markContacted(path: string, reader: string | null): Promise<ReplyState> {
  const body = new URLSearchParams({ action: 'contacted', reply: 'yes', reader: reader ?? '' });
  try {
    const { ok, status } = await fetch(path, { method: 'POST', body, keepalive: true });
    if (status === 409) return 'settled';

    return ok ? 'marked' : 'failed';
  } catch {
    return 'failed';
  }
}

/** Focuses the element, because the pressed button has disappeared. */
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

/** The usual outcomes, followed by `children`. Without scripts, "Reply to …" only opens the draft. */
export function OutcomeButtons({ children, ...state }: OutcomeButtonsProps) {
  const { path, reply, isKnown, choices, assignedTo } = state;
  const reader = useReader(state);
  const isHydrated = useIsHydrated();
  const [replyState, setReplyState] = useState<ReplyState>();
  if (replyState === 'marked') return <Marked path={path} />;
  const handleReply = () => {
    // Ignore the second click of a double-click.
    if (replyState === 'sending') return;
    setReplyState('sending');
    void markContacted(path, reader).then(setReplyState);
  };

  return (
    <>
      <Status {...state} />
      <div className={`${styles.buttons} ${shared.notPrinted}`} {...hydrateNow}>
        {reply && (
          <ButtonLink href={reply.url} onClick={handleReply}>
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
            <SubmitButton variant="outline" size="small">
              I’ll take it
            </SubmitButton>
          </ActionForm>
        )}
        {children}
      </div>
      {replyState === 'failed' && <p role="alert">The request isn’t marked yet. Press “Mark as contacted”.</p>}
      {replyState === 'settled' && (
        <p role="alert">
          A colleague settled this request while this page was open. <a href={path}>Reload the page</a> before you send the draft.
        </p>
      )}
      <div className={`${shared.note} ${shared.notPrinted}`}>
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
