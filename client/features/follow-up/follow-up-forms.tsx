import { MAX_UNFIT_REASON } from '../../../shared/contact/outcomes.ts';
import type { FollowUpState, OutcomeChoices } from '../../../shared/page-state.ts';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { autoFocusOnServer } from '../../components/auto-focus-on-server.ts';
import { SubmitButton } from '../../components/submit-button.tsx';
import { ActionForm } from './action-form.tsx';
import styles from './follow-up.module.css';
import { OutcomeButtons } from './outcome-buttons.tsx';
import { rememberReader, useReader } from './reader-memory.ts';

interface OutcomeProps {
  readonly path: string;
  readonly choices: OutcomeChoices;
  readonly errors: FollowUpState['errors'];
}

/** Returns attributes that focus a field with an error when the page loads. */
const getFocus = (error: string | undefined) => autoFocusOnServer(error !== undefined);

/** A checkbox for skipping the deadline email too, if it is due before the chosen time. */
function SkipDeadlineEmail({ id, answerBy }: { readonly id: string; readonly answerBy: string }) {
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
        {times.some(({ isLate }) => isLate) && <SkipDeadlineEmail id="snooze-late" answerBy={answerBy} />}
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
        {isPromiseAhead && <SkipDeadlineEmail id="snooze-day-late" answerBy={answerBy} />}
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

/** Asks for the reader's address if neither the link nor browser storage contains it, and stores it in the browser. */
function TakeWithAddress({ path, errors }: OutcomeProps) {
  return (
    <section className={styles.outcome} aria-labelledby="take">
      <h2 id="take">I’ll take it</h2>
      <ActionForm
        path={path}
        action="assign"
        onSubmit={({ currentTarget }) => {
          const typed = new FormData(currentTarget).get('reader');
          if (typeof typed === 'string') rememberReader(typed);
        }}
      >
        <Field id="take-as" label="Your email address" hint="This browser remembers it." error={errors['reader']}>
          {(control) => (
            <input
              {...control}
              {...getFocus(errors['reader'])}
              type="email"
              name="reader"
              autoComplete="email"
              required
            />
          )}
        </Field>
        <SubmitButton variant="outline">Take it</SubmitButton>
      </ActionForm>
    </section>
  );
}

/** The actions for an open request. Less common ones are behind "More". */
export function Outcomes(state: FollowUpState & { readonly choices: OutcomeChoices }) {
  const { isKnown, choices, errors } = state;
  const reader = useReader(state);

  return (
    <OutcomeButtons {...state}>
      <details className={styles.more} open={Object.keys(errors).length > 0}>
        <summary>
          More <Icon name="chevron-down" />
        </summary>
        {!isKnown && reader === null && choices.hasColleagues && <TakeWithAddress {...state} />}
        <Reminder {...state} />
        {choices.hasColleagues && <Assignment {...state} />}
        <Rejection {...state} />
      </details>
    </OutcomeButtons>
  );
}
