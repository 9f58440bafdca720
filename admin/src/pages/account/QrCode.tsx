import { encode } from 'uqr';
import css from './Page.module.css';

/** A text as a QR code, drawn here so that the secret is sent to nobody. */
export function QrCode({ text, title }: { text: string; title: string }) {
  const { data, size } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={css.code} role="img" aria-label={title}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
