import { useState } from 'react';
import { estimateBusyworkCost, exampleBusywork, type Busywork } from './busywork-cost.ts';
import { parseNumber } from './parse-number.ts';
import { makeVisitorFormat, type VisitorFormat } from './visitor-format.ts';

/** Largest answers that are taken, each with how far its slider reaches and in which steps; a cost in dollars. */
export const ranges = {
  people: { max: 100_000, slider: { max: 200, step: 1 } },
  hoursPerWeek: { max: 80, slider: { max: 40, step: 0.5 } },
  hourlyCost: { max: 10_000, slider: { max: 200, step: 1 } },
} as const;

export type AnswerName = keyof typeof ranges;

/** An answer as it is typed, and what it means. */
interface Answer {
  readonly text: string;
  /** NaN while it is empty or no number the estimate takes. */
  readonly value: number;
  readonly error: string | undefined;
}

/** The largest value that is taken: an amount is scaled to the currency. */
const getMax = (name: AnswerName, { scale }: VisitorFormat): number =>
  name === 'hourlyCost' ? ranges[name].max * scale : ranges[name].max;

function readAnswer(name: AnswerName, text: string, format: VisitorFormat): Answer {
  if (text.trim() === '') return { text, value: NaN, error: undefined };
  const value = parseNumber(text, format.decimalMark);
  if (value === undefined) return { text, value: NaN, error: 'Enter a number, like 12.' };
  const max = getMax(name, format);

  return value > max
    ? { text, value: NaN, error: `Enter a number up to ${format.writeNumber(max)}.` }
    : { text, value, error: undefined };
}

type Texts = Readonly<Record<AnswerName, string>>;

const makeTexts = ({ scale, writeNumber }: VisitorFormat): Texts => ({
  people: writeNumber(exampleBusywork.people),
  hoursPerWeek: writeNumber(exampleBusywork.hoursPerWeek),
  hourlyCost: writeNumber(exampleBusywork.hourlyCost * scale),
});

/** The answers, beginning with the example's, and what follows from them. It runs in the browser only. */
export function useEstimate() {
  const [format] = useState(() => makeVisitorFormat(navigator.language));
  const [texts, setTexts] = useState(() => makeTexts(format));
  const answers: Readonly<Record<AnswerName, Answer>> = {
    people: readAnswer('people', texts.people, format),
    hoursPerWeek: readAnswer('hoursPerWeek', texts.hoursPerWeek, format),
    hourlyCost: readAnswer('hourlyCost', texts.hourlyCost, format),
  };
  const busywork: Busywork = {
    people: answers.people.value,
    hoursPerWeek: answers.hoursPerWeek.value,
    hourlyCost: answers.hourlyCost.value,
  };
  const setAnswer = (name: AnswerName, text: string) => setTexts((current) => ({ ...current, [name]: text }));

  return { format, answers, busywork, cost: estimateBusyworkCost(busywork), setAnswer };
}
