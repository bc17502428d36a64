import type uPlot from 'uplot';

export type Shape = 'triangle' | 'cross';

/** Draws a mark on the time axis wherever `happened` says so: a shape, so that it can be told without colour. */
export function drawMarks(u: uPlot, shape: Shape, colour: string, happened: readonly boolean[]): void {
  const { ctx, bbox } = u;
  const size = 4 * devicePixelRatio;
  const y = bbox.top + bbox.height + size;
  ctx.save();
  ctx.beginPath();
  happened.forEach((yes, index) => {
    if (!yes) return;
    const x = u.valToPos(u.data[0][index]!, 'x', true);
    if (x < bbox.left) return;
    if (shape === 'triangle') {
      ctx.moveTo(x, y - size);
      ctx.lineTo(x + size, y + size);
      ctx.lineTo(x - size, y + size);
      ctx.closePath();
    } else {
      ctx.moveTo(x - size, y - size);
      ctx.lineTo(x + size, y + size);
      ctx.moveTo(x + size, y - size);
      ctx.lineTo(x - size, y + size);
    }
  });
  ctx.fillStyle = ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  shape === 'triangle' ? ctx.fill() : ctx.stroke();
  ctx.restore();
}
