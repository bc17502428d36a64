namespace NativeThreading.Workloads;

/// <summary>A run did not do the work it was timed for, or did not end in time: its numbers must not be printed.</summary>
internal sealed class MeasurementException(string message) : Exception(message);
