namespace NativeThreading.Tests.Support;

/// <summary>
/// The tests of this class start programs or compute, and neither measure nor change anything of the process: they may run
/// in parallel with others of their kind (OneAfterTheOther).
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class BesideOthersAttribute : Attribute;
