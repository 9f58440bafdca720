import { createContext, Fragment, type ReactNode, useContext, useState } from 'react';
import type { Language } from '../i18n/catalogues.ts';
import { activate, language } from '../i18n/i18n.ts';

const LanguageContext = createContext<(next: Language) => Promise<void>>(async () => {});

/** Renders everything again when the language changes. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState(language());
  const change = async (next: Language): Promise<void> => {
    await activate(next);
    setShown(next);
  };
  return (
    <LanguageContext value={change}>
      <Fragment key={shown}>{children}</Fragment>
    </LanguageContext>
  );
}

export function useChangeLanguage(): (next: Language) => Promise<void> {
  return useContext(LanguageContext);
}
