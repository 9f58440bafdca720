import { useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { accountApi, type Person, type Session } from '../api/account.ts';
import { ok } from '../api/client.ts';
import type { Language } from '../i18n/catalogues.ts';
import { language } from '../i18n/i18n.ts';
import { sayError } from '../ui/messages.tsx';
import { useChangeLanguage } from './language.tsx';
import { SESSION } from './session.tsx';

export interface Preferences {
  theme?: Person['theme'];
  language?: Language;
}

/** Applies the preferences of the signed-in person; the operator, who has no account, keeps those of the browser. */
export function usePersonsPreferences(session: Session | null | undefined): void {
  const apply = useApply();
  const person = session?.person.id == null ? undefined : session.person;
  const { theme, language } = person ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: apply is made anew on each rendering
  useEffect(() => {
    if (theme !== undefined && language !== undefined) apply({ theme, language });
  }, [theme, language]);
}

/** Applies the choice and, for a person, stores it. */
export function useChoosePreferences(): (choice: Preferences) => void {
  const client = useQueryClient();
  const apply = useApply();
  return (choice) => {
    const session = client.getQueryData<Session | null>(SESSION);
    if (session?.person.id == null) return apply(choice);
    // Updates the session first: a change of language renders everything again, with the preferences in the session.
    const put = (person: Partial<Person>): void => {
      client.setQueryData<Session | null>(SESSION, (now) => now && { ...now, person: { ...now.person, ...person } });
    };
    const keep = async (): Promise<void> => {
      await client.cancelQueries({ queryKey: SESSION });
      put(choice);
      await ok(accountApi.PATCH('/me', { body: choice }));
      put(choice);
    };
    keep().catch((error: unknown) => {
      const { theme, language } = session.person;
      put({ theme, language });
      sayError(error);
    });
  };
}

function useApply(): (choice: Preferences) => void {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const changeLanguage = useChangeLanguage();
  return (choice) => {
    if (choice.theme !== undefined && choice.theme !== colorScheme) setColorScheme(choice.theme);
    if (choice.language !== undefined && choice.language !== language()) {
      changeLanguage(choice.language).catch(sayError);
    }
  };
}
