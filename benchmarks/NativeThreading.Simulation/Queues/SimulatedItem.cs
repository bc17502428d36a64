namespace NativeThreading.Simulation;

/// <summary>An item: what a shape needs to go on from it.</summary>
/// <param name="Kind">Which of the shape's steps it is.</param>
/// <param name="Number">Of its request; the leaves below a node.</param>
/// <param name="Left">How much is still to be done.</param>
internal readonly record struct SimulatedItem(int Kind, int Number = 0, int Left = 0);
