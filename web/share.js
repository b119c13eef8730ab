// Hands something to the reader: text and pictures for the clipboard, a file. Must be called soon after the gesture that
// asked for it, if the browser wants one.

const kScale = 2;  // of a copied picture, so that it is sharp on a slide

export async function copy_text(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = Object.assign(document.createElement('textarea'), { value: text });
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

export const kSvg = 'image/svg+xml';
const address_of = (text, type) => URL.createObjectURL(new Blob([text], { type }));

async function png_of({ svg, width, height }) {
  const address = address_of(svg, kSvg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: width * kScale, height: height * kScale });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no PNG'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(address);
  }
}

// As PNG, which every program takes; where pictures cannot be copied, the SVG as text.
export async function copy_picture(picture) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png_of(picture) })]);
  } catch {
    await copy_text(picture.svg);
  }
}

export function download({ name, type, text }) {
  const link = Object.assign(document.createElement('a'), { href: address_of(text, type), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
