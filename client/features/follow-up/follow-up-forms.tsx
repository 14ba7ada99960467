import type { ReactNode } from 'react';
import { MAX_UNFIT_REASON, type followUpActions } from '../../../shared/contact/outcomes.ts';
import type { FollowUpState, OutcomeChoices } from '../../../shared/page-state.ts';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { getServedFocus } from '../../components/served-focus.ts';
import { SubmitButton } from '../../components/submit-button.tsx';
import styles from './follow-up.module.css';

interface ActionFormProps {
  /** Where the page's forms are sent. */
  readonly path: string;
  readonly action: (typeof followUpActions)[number];
  readonly children: ReactNode;
}

/** One of the page's forms: each works without scripts, and sending it twice changes nothing. */
export function ActionForm({ path, action, children }: ActionFormProps) {
  return (
    <form className={styles.form} method="post" action={path}>
      <input type="hidden" name="action" value={action} />
      {children}
    </form>
  );
}

interface OutcomeProps {
  readonly path: string;
  readonly choices: OutcomeChoices;
  readonly errors: FollowUpState['errors'];
}

/** The page starts at a field that couldn't be read. */
const getFocus = (error: string | undefined) => getServedFocus(error !== undefined);

/** Says that no mail is to come at the promised time, which is before the one chosen. */
function PastPromise({ id, answerBy }: { readonly id: string; readonly answerBy: string }) {
  return (
    <p className={styles.check}>
      <input id={id} type="checkbox" name="past_promise" value="yes" />
      <label htmlFor={id}>
        Skip the deadline email too ({answerBy})
      </label>
    </p>
  );
}

type ReminderProps = OutcomeProps & Pick<FollowUpState, 'answerBy'>;

function Reminder({ path, choices, errors, answerBy }: ReminderProps) {
  const { times, days, isPromiseAhead } = choices;

  return (
    <section className={styles.outcome} aria-labelledby="snooze">
      <h2 id="snooze">Remind me</h2>
      <ActionForm path={path} action="snooze">
        <div className={styles.buttons}>
          {times.map(({ value, label, isLate }) => (
            <SubmitButton key={value} variant="outline" name="until" value={value}>
              {label}
              {isLate && ' (after the promised time)'}
            </SubmitButton>
          ))}
        </div>
        {times.some(({ isLate }) => isLate) && <PastPromise id="snooze-late" answerBy={answerBy} />}
      </ActionForm>
      <ActionForm path={path} action="snooze">
        <Field id="snooze-day" label={`On another day, at ${days.timeOfDay}`} error={errors['until']}>
          {(control) => (
            <input
              {...control}
              {...getFocus(errors['until'])}
              type="date"
              name="until"
              min={days.first}
              max={days.last}
              required
            />
          )}
        </Field>
        {isPromiseAhead && <PastPromise id="snooze-day-late" answerBy={answerBy} />}
        <SubmitButton variant="outline">Remind me on that day</SubmitButton>
      </ActionForm>
    </section>
  );
}

function Assignment({ path, errors }: OutcomeProps) {
  return (
    <section className={styles.outcome} aria-labelledby="assign">
      <h2 id="assign">Hand to a colleague</h2>
      <ActionForm path={path} action="assign">
        <Field id="assign-to" label="Colleague (emailed right away)" error={errors['to']}>
          {(control) => <input {...control} {...getFocus(errors['to'])} type="email" name="to" required />}
        </Field>
        <SubmitButton variant="outline">Hand over</SubmitButton>
      </ActionForm>
    </section>
  );
}

function Rejection({ path, errors }: OutcomeProps) {
  return (
    <section className={styles.outcome} aria-labelledby="unfit">
      <h2 id="unfit">Not a fit</h2>
      <ActionForm path={path} action="unfit">
        <Field
          id="unfit-reason"
          label="Reason (optional)"
          hint="For colleagues. The visitor doesn’t see it."
          error={errors['reason']}
        >
          {(control) => (
            <input
              {...control}
              {...getFocus(errors['reason'])}
              name="reason"
              maxLength={MAX_UNFIT_REASON}
            />
          )}
        </Field>
        <SubmitButton variant="outline">Mark as not a fit</SubmitButton>
      </ActionForm>
    </section>
  );
}

/** What can be done about an open request: the usual at once, the rest behind "More". */
export function Outcomes({ isKnown, ...props }: ReminderProps & Pick<FollowUpState, 'isKnown'>) {
  return (
    <div className={styles.buttons}>
      <ActionForm path={props.path} action="contacted">
        <SubmitButton>Mark as contacted</SubmitButton>
      </ActionForm>
      <details className={styles.more} open={Object.keys(props.errors).length > 0}>
        <summary>
          More <Icon name="chevron-down" />
        </summary>
        <Reminder {...props} />
        {props.choices.hasColleagues && <Assignment {...props} />}
        <Rejection {...props} />
      </details>
      {!isKnown && <p className={styles.note}>Everyone in sales is emailed about what you do here.</p>}
    </div>
  );
}
