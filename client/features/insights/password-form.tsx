import { useEffect, useState, type RefObject, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { INCORRECT_PASSWORD } from '../../../shared/page-state.ts';
import { apiPaths, insightsQuery, routePatterns } from '../../../shared/paths.ts';
import { useIsHydrated } from '../../app/page-state.tsx';
import { Banner } from '../../components/banner.tsx';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { autoFocusOnServer } from '../../components/auto-focus-on-server.ts';
import { SubmitButton } from '../../components/submit-button.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { postForm, type FormContract } from '../forms/post-form.ts';
import styles from './password-form.module.css';

const CHECKING = 'Checking…';
const NO_RESPONSE = 'The server didn’t answer. Please check your connection and try again.';
const ERROR_ID = 'insights-password-error';

interface PasswordFieldProps {
  readonly hasFirstFocus: boolean;
  readonly ref: RefObject<HTMLInputElement | null>;
  readonly error: string | undefined;
  readonly isVisible: boolean;
  readonly onToggle: () => void;
  readonly onInput: () => void;
}

/** The password field with a button that reveals the password. */
function PasswordField({ ref, hasFirstFocus, error, isVisible, onToggle, onInput }: PasswordFieldProps) {
  const isHydrated = useIsHydrated();

  return (
    <Field id="insights-password" label="Password" isRequired>
      {(control) => (
        <div className={styles.control}>
          <input
            {...control}
            aria-invalid={error === INCORRECT_PASSWORD || undefined}
            aria-describedby={error === undefined ? undefined : ERROR_ID}
            ref={ref}
            type={isVisible ? 'text' : 'password'}
            name="password"
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            {...autoFocusOnServer(hasFirstFocus)}
            onInput={onInput}
          />
          <button
            className={styles.toggle}
            type="button"
            hidden={!isHydrated}
            aria-label="Show password"
            aria-pressed={isVisible}
            onClick={onToggle}
          >
            <Icon name={isVisible ? 'eye-off' : 'eye'} />
          </button>
        </div>
      )}
    </Field>
  );
}

const contract: FormContract = { fieldNames: [], isAccepted: (status) => status === 204 };

/** Returns the error message, or undefined if the password is correct. */
async function findPasswordError(password: string): Promise<string | undefined> {
  const result = await postForm(apiPaths.insightsSession, { password }, contract);
  if (result.kind === 'accepted') return undefined;

  return result.kind === 'refused' ? result.detail : NO_RESPONSE;
}

interface PasswordFormProps {
  readonly fieldRef: RefObject<HTMLInputElement | null>;
  readonly initialError: string | undefined;
}

/** The password form. Works without scripts. */
export function PasswordForm({ fieldRef, initialError }: PasswordFormProps) {
  const isHydrated = useIsHydrated();
  const [isBlank, setIsBlank] = useState(true);
  const [isVisible, setIsVisible] = useState(false);
  const [isChecking, setIsChecking] = useState(false);
  const [error, setError] = useState(initialError);
  const readPassword = () => fieldRef.current?.value ?? '';
  const shownError = isChecking ? undefined : error;
  const updateIsBlank = () => setIsBlank(readPassword().trim() === '');

  // The visitor may have typed before hydration.
  useEffect(() => {
    setIsBlank((fieldRef.current?.value ?? '').trim() === '');
  }, [fieldRef]);

  const handleSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isChecking || readPassword().trim() === '') return;
    setIsChecking(true);
    setIsVisible(false);
    const refusal = await findPasswordError(readPassword());
    if (refusal === undefined) return location.replace(`${routePatterns.insights}?${insightsQuery.unlocked}=1`);
    flushSync(() => {
      setError(refusal);
      setIsChecking(false);
    });
    fieldRef.current?.focus();
    fieldRef.current?.select();
  };

  return (
    <>
      <form
        className={styles.form}
        method="post"
        action={routePatterns.insights}
        aria-busy={isChecking}
        onSubmit={handleSubmit}
      >
        {shownError !== undefined && (
          <Banner id={ERROR_ID} tone="error">
            {shownError}
          </Banner>
        )}
        <PasswordField
          ref={fieldRef}
          hasFirstFocus={initialError === undefined}
          error={shownError}
          isVisible={isVisible}
          onToggle={() => setIsVisible(!isVisible)}
          onInput={updateIsBlank}
        />
        <SubmitButton name="action" value="unlock" isDisabled={isHydrated && (isBlank || isChecking)}>
          {isChecking ? CHECKING : 'Unlock Content'}
        </SubmitButton>
      </form>
      <VisuallyHidden role="status">{isChecking && CHECKING}</VisuallyHidden>
    </>
  );
}
