import { useQueryClient } from '@tanstack/react-query';
import { useShop } from '../../app/session.tsx';
import { say, sayError } from '../messages.tsx';

/** Runs an action, shows a message when it is done, and reloads everything of the company. Shows an error, and then returns null. */
export function useAct(): <Result>(run: () => Promise<Result>, done: string) => Promise<Result | null> {
  const { company } = useShop();
  const client = useQueryClient();
  return async (run, done) => {
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
