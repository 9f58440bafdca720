import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { isRepeated } from './double-click.ts';

/** A write of one button: as `useMutation`, but a double click writes once. */
export function useWrite<Result, Given = void>(
  options: UseMutationOptions<Result, Error, Given>,
): UseMutationResult<Result, Error, Given> {
  const mutation = useMutation(options);
  const mutate: typeof mutation.mutate = (...call) => {
    if (!isRepeated()) mutation.mutate(...call);
  };
  return { ...mutation, mutate };
}
