const TO_ESCAPE = /["\\]/;
const EACH_TO_ESCAPE = /["\\]/g;

/**
 * An array of numbers, booleans and texts as the text that PostgreSQL reads; everything else as it is, for pg to write.
 * In half the time that pg takes: 500 events have 4,500 elements.
 */
export function arrayAsText(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  let text = '{';
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (i > 0) text += ',';
    if (typeof element === 'string') {
      text += TO_ESCAPE.test(element) ? `"${element.replace(EACH_TO_ESCAPE, '\\$&')}"` : `"${element}"`;
    } else if (typeof element === 'number' || typeof element === 'boolean') text += element;
    else if (element === null || element === undefined) text += 'NULL';
    else return value;
  }
  return `${text}}`;
}
