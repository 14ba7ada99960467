import { useId } from 'react';
import { anchors, pathTo } from '../../../shared/paths.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { Field } from '../../components/field.tsx';
import { storeMessageNote } from '../forms/message-note.ts';
import { describeBusywork, writeCounted } from './describe-busywork.ts';
import { EstimateOutcome, TypicalRange } from './estimate-result.tsx';
import styles from './estimate.module.css';
import { ranges, useEstimate, type AnswerName } from './use-estimate.ts';
import type { VisitorFormat } from './visitor-format.ts';

interface Question {
  readonly name: AnswerName;
  readonly label: string;
  readonly hint: string;
  /** The answer as the slider says it. */
  readonly describe: (value: number, format: VisitorFormat) => string;
}

const questions: readonly Question[] = [
  {
    name: 'people',
    label: 'People',
    hint: 'Who do such work',
    describe: (value, { writeNumber }) => writeCounted(writeNumber(value), 'person', 'people'),
  },
  {
    name: 'hoursPerWeek',
    label: 'Hours a week each',
    hint: 'Spent on it, on average',
    describe: (value, { writeNumber }) => writeCounted(writeNumber(value), 'hour', 'hours'),
  },
  {
    name: 'hourlyCost',
    label: 'Cost of an hour',
    hint: 'Pay with benefits and taxes',
    describe: (value, { writeAmount }) => `${writeAmount(value)} an hour`,
  },
];

type Estimate = ReturnType<typeof useEstimate>;

interface QuestionFieldProps extends Question {
  readonly id: string;
  readonly estimate: Estimate;
}

/** One question: a field for the exact answer, and a slider to try others. */
function QuestionField({ id, name, label, hint, describe, estimate }: QuestionFieldProps) {
  const { answers, format, setAnswer } = estimate;
  const { text, value, error } = answers[name];
  const { slider } = ranges[name];
  const scale = name === 'hourlyCost' ? format.scale : 1;
  const sliderValue = Number.isNaN(value) ? 0 : Math.min(value, slider.max * scale);

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
            onChange={(event) => setAnswer(name, event.currentTarget.value)}
          />
        )}
      </Field>
      <input
        className={styles.slider}
        type="range"
        aria-label={label}
        aria-valuetext={Number.isNaN(value) ? 'No answer' : describe(value, format)}
        min={0}
        max={slider.max * scale}
        step={slider.step * scale}
        value={sliderValue}
        onChange={(event) => setAnswer(name, format.writeNumber(event.currentTarget.valueAsNumber))}
      />
    </div>
  );
}

interface SummaryProps extends Pick<Estimate, 'cost' | 'format'> {
  /** Of the fields it follows from. */
  readonly ids: string;
}

/** The result in words, read out when it changes. */
function Summary({ cost: { yearlyCost, savings }, format: { writeAmount }, ids }: SummaryProps) {
  return (
    <output className={styles.result} htmlFor={ids}>
      {Number.isFinite(yearlyCost) ? (
        <>
          This work costs about {writeAmount(yearlyCost)} a year. <TypicalRange /> of that is{' '}
          {writeAmount(savings.least)} to {writeAmount(savings.most)}.
        </>
      ) : (
        'Answer all three with a number to see the estimate.'
      )}
    </output>
  );
}

/** Three answers, and what the busywork costs a year. Nothing leaves the browser until the visitor takes it along. */
export function EstimateForm() {
  const estimate = useEstimate();
  const { format, busywork, cost } = estimate;
  const id = useId();
  const ids = questions.map(({ name }) => id + name).join(' ');

  return (
    <div className={styles.estimate}>
      <div className={styles.questions}>
        {questions.map((question) => (
          <QuestionField key={question.name} {...question} id={id + question.name} estimate={estimate} />
        ))}
      </div>
      <EstimateOutcome
        busywork={busywork}
        cost={cost}
        format={format}
        summary={<Summary cost={cost} format={format} ids={ids} />}
      >
        {cost.yearlyCost > 0 && (
          <ButtonLink
            href={`${pathTo.contact()}#${anchors.request}`}
            onClick={() => storeMessageNote(describeBusywork(busywork, cost, format.currency))}
          >
            Take this to your assessment
          </ButtonLink>
        )}
      </EstimateOutcome>
    </div>
  );
}
