import type { FieldError } from '../../../api/errors.ts';
import { type Draft, TRIGGER } from './draft.ts';

/** An error of the server, at the step where it is to be fixed. */
export interface Problem {
  /** The step, or the trigger for errors of the flow itself. */
  id: string;
  /** Path within the step, such as config.subject; for the flow, its field. */
  path: string;
  message: string;
}

/** Returns the text of a problem in the person's language; null if there is none. */
export type SayProblem = (code: string, params: FieldError['params']) => string | null;

/** Returns the server's errors by step. Their indexes are those of the draft that was sent. */
export function problemsOf(sent: Draft, errors: readonly FieldError[], inWords: SayProblem): Problem[] {
  return errors.map(({ field, message, code, params }) => {
    const said = code === undefined ? null : inWords(code, params);
    const [part, index = '', ...rest] = field.split(/[.[\]/]+/).filter((piece) => piece !== '');
    if (part === 'steps') {
      const step = sent.steps[Number(index)];
      if (step !== undefined)
        return { id: step.step_id, path: rest.join('.'), message: said ?? shortened(message, field) };
    }
    if (part === 'connections') {
      const connection = sent.connections[Number(index)];
      if (connection !== undefined)
        return { id: connection.from, path: '', message: said ?? shortened(message, field) };
    }
    return { id: TRIGGER, path: field, message: said ?? message };
  });
}

/** Returns those that are not solved yet: a removed step has none. */
export function problemsLeft(draft: Draft, problems: readonly Problem[]): readonly Problem[] {
  const ids = new Set([TRIGGER, ...draft.steps.map(({ step_id }) => step_id)]);
  return problems.every(({ id }) => ids.has(id)) ? problems : problems.filter(({ id }) => ids.has(id));
}

/** Strips the path from the message, because its place shows it already. */
function shortened(message: string, field: string): string {
  const rest = message.startsWith(field) ? message.slice(field.length).replace(/^[:\s]+/, '') : message;
  return rest === '' ? message : rest;
}
