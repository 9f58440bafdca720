import { useQueryClient } from '@tanstack/react-query';
import { useShop } from '../../app/session.tsx';
import { say, sayError } from '../messages.tsx';
import { isRepeated } from './double-click.ts';

/**
 * Runs an action, shows a message when it is done, and reloads everything of the company. Shows an error, and then returns null; so it
 * does for the second click of a double click, which runs nothing.
 */
export function useAct(): <Result>(run: () => Promise<Result>, done: string) => Promise<Result | null> {
  const { company } = useShop();
  const client = useQueryClient();
  return async (run, done) => {
    if (isRepeated()) return null;
    try {
      const result = await run();
      await client.invalidateQueries({ queryKey: [company.id] });
      say(done);
      return result;
    } catch (error) {
      sayError(error);
      return null;
    }
  };
}
