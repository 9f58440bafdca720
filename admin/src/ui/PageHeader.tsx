import { type ReactNode, useEffect } from 'react';
import { useShop } from '../app/session.tsx';
import { Anchor } from './Anchor.tsx';
import { Icon } from './Icon.tsx';
import css from './PageHeader.module.css';

interface PageHeaderProps {
  title: string;
  /** The list that the page belongs to. */
  back?: { path: string; text: string };
  badge?: ReactNode;
  children?: ReactNode;
}

/** The page's name, which is also the window's title, and its actions. */
export function PageHeader({ title, back, badge, children }: PageHeaderProps) {
  const { company } = useShop();
  useEffect(() => {
    document.title = `${title} · ${company.name}`;
  }, [title, company.name]);
  return (
    <div className={css.header}>
      <div className={css.names}>
        {back === undefined ? null : (
          <Anchor path={back.path} className={`${css.back} no-print`}>
            <Icon name="arrow-left" size={15} /> {back.text}
          </Anchor>
        )}
        <div className={css.title}>
          <h1 className="break">{title}</h1>
          {badge}
        </div>
      </div>
      <div className={`${css.actions} no-print`}>{children}</div>
    </div>
  );
}
