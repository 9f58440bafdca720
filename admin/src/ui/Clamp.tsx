import css from './Clamp.module.css';

/** A text of a list: at most two lines, or one. */
export function Clamp({ text, one }: { text: string; one?: true }) {
  return (
    <span className={css.clamp} data-one={one} title={text}>
      {text}
    </span>
  );
}
