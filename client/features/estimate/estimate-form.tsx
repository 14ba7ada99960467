import { useId, useState } from 'react';
import { anchors, pathTo } from '../../../shared/paths.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { Field } from '../../components/field.tsx';
import { storeMessageNote } from '../forms/message-note.ts';
import { describeBusywork, estimateBusyworkCost, exampleBusywork, countNoun, type Busywork } from './busywork-cost.ts';
import { EstimateOutcome, TypicalRange } from './estimate-result.tsx';
import styles from './estimate.module.css';
import { makeVisitorFormat, parseNumber, type VisitorFormat } from './visitor-format.ts';

/** The questions, each with its maximum answer and its slider's maximum and step. Costs are in dollars. */
const questions = {
  people: { label: 'People', hint: 'How many do this work', max: 100_000, slider: { max: 200, step: 1 } },
  hoursPerWeek: { label: 'Hours a week each', hint: 'Average time on this work', max: 80, slider: { max: 40, step: 0.5 } },
  hourlyCost: { label: 'Cost of an hour', hint: 'Pay with benefits and taxes', max: 10_000, slider: { max: 200, step: 1 } },
} as const;

const names = ['people', 'hoursPerWeek', 'hourlyCost'] as const;
type AnswerName = (typeof names)[number];

/** Returns the factor that scales dollars to the visitor's currency, or 1 for answers that aren't amounts. */
const getScale = (name: AnswerName, { scale }: VisitorFormat) => (name === 'hourlyCost' ? scale : 1);

/** Returns the answer (NaN if it is empty, invalid or too large) and any error message. */
function readAnswer(name: AnswerName, text: string, format: VisitorFormat) {
  const max = questions[name].max * getScale(name, format);
  const value = text.trim() === '' ? NaN : parseNumber(text, format.decimalMark);
  if (value === undefined) return { value: NaN, error: 'Enter a number, like 12.' };

  return value > max ? { value: NaN, error: `Enter a number up to ${format.writeNumber(max)}.` } : { value };
}

/** Returns the slider's `aria-valuetext`. */
function describeAnswer(name: AnswerName, value: number, { writeNumber, writeAmount }: VisitorFormat): string {
  if (Number.isNaN(value)) return 'No answer';
  if (name === 'hourlyCost') return `${writeAmount(value)} an hour`;

  return name === 'people'
    ? countNoun(writeNumber(value), 'person', 'people')
    : countNoun(writeNumber(value), 'hour', 'hours');
}

interface QuestionFieldProps {
  readonly id: string;
  readonly name: AnswerName;
  readonly text: string;
  readonly format: VisitorFormat;
  readonly onAnswer: (text: string) => void;
}

/** A question with a slider and a text field for the exact answer. */
function QuestionField({ id, name, text, format, onAnswer }: QuestionFieldProps) {
  const { label, hint, slider } = questions[name];
  const { value, error } = readAnswer(name, text, format);
  const scale = getScale(name, format);

  return (
    <div className={styles.question}>
      <Field id={id} label={name === 'hourlyCost' ? `${label} (${format.currency})` : label} hint={hint} error={error}>
        {(control) => (
          <input
            {...control}
            type="text"
            inputMode="decimal"
            autoComplete="off"
            value={text}
            onChange={(event) => onAnswer(event.currentTarget.value)}
          />
        )}
      </Field>
      <input
        className={styles.slider}
        type="range"
        aria-label={label}
        aria-valuetext={describeAnswer(name, value, format)}
        min={0}
        max={slider.max * scale}
        step={slider.step * scale}
        value={Number.isNaN(value) ? 0 : Math.min(value, slider.max * scale)}
        onChange={(event) => onAnswer(format.writeNumber(event.currentTarget.valueAsNumber))}
      />
    </div>
  );
}

/** Three questions and the yearly cost. The answers stay in the browser unless the visitor adds them to a message. */
export function EstimateForm() {
  const id = useId();
  const [format] = useState(() => makeVisitorFormat(navigator.language));
  const [texts, setTexts] = useState(() => ({
    people: format.writeNumber(exampleBusywork.people),
    hoursPerWeek: format.writeNumber(exampleBusywork.hoursPerWeek),
    hourlyCost: format.writeNumber(exampleBusywork.hourlyCost * format.scale),
  }));
  const read = (name: AnswerName) => readAnswer(name, texts[name], format).value;
  const busywork: Busywork = { people: read('people'), hoursPerWeek: read('hoursPerWeek'), hourlyCost: read('hourlyCost') };
  const { yearlyCost, savings } = estimateBusyworkCost(busywork);

  return (
    <div className={styles.estimate}>
      <div className={styles.questions}>
        {names.map((name) => (
          <QuestionField
            key={name}
            id={id + name}
            name={name}
            text={texts[name]}
            format={format}
            onAnswer={(text) => setTexts((current) => ({ ...current, [name]: text }))}
          />
        ))}
      </div>
      <EstimateOutcome
        busywork={busywork}
        format={format}
        summary={
          // Screen readers announce changes to an `output`.
          <output className={styles.result} htmlFor={names.map((name) => id + name).join(' ')}>
            {Number.isFinite(yearlyCost) ? (
              <>
                This work costs about {format.writeAmount(yearlyCost)} a year. <TypicalRange /> of that is{' '}
                {format.writeAmount(savings.least)} to {format.writeAmount(savings.most)}.
              </>
            ) : (
              'Enter a number in all three fields to see the estimate.'
            )}
          </output>
        }
      >
        {yearlyCost > 0 && (
          <ButtonLink
            href={`${pathTo.contact()}#${anchors.request}`}
            onClick={() => storeMessageNote(describeBusywork(busywork, format.currency))}
          >
            Take this to your assessment
          </ButtonLink>
        )}
      </EstimateOutcome>
    </div>
  );
}
