// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Course: ManagedObject {
  var title: String
  @Relationship(deleteRule: .cascade) var lessons: OrderedToMany<Lesson>
  @Relationship(deleteRule: .deny) var grades: ToMany<CourseGrade>
  var students: ToMany<Student>
}

@Managed final class Lesson: ManagedObject {
  var title: String
  var course: Course?
}

@Managed final class Student: ManagedObject {
  var name: String
  var courses: ToMany<Course>
}

@Managed final class CourseGrade: ManagedObject {
  var points: Int
  @Relationship(optional: false) var course: Course?
}

@Managed final class Villager: ManagedObject {
  var name: String
  @Relationship(inverse: "friends") var friends: ToMany<Villager>
  @Relationship(inverse: "spouse") var spouse: Villager?
}

/// What the article Relationships says, over all stores.
@Suite("Guide: relationships")
struct RelationshipsGuideTests {
  private struct School {
    let container: PersistentContainer
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      folder = try TemporaryFolder()
      container = try PersistentContainer(
        name: "School",
        entities: Course.self,
        Lesson.self,
        Student.self,
        CourseGrade.self,
        store: kind.description(in: folder)
      )
    }

    func course(_ title: String, in context: ManagedObjectContext) -> Course {
      let course = Course(context: context)
      course.title = title
      return course
    }

    func lesson(_ title: String, in context: ManagedObjectContext) -> Lesson {
      let lesson = Lesson(context: context)
      lesson.title = title
      return lesson
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship may be its own inverse`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(
      name: "Village",
      entities: Villager.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    let villagers = ["Ida", "Max", "Zoë"].map { name in
      let villager = Villager(context: context)
      villager.name = name
      return villager
    }
    villagers[0].friends.insert(villagers[1])
    villagers[2].spouse = villagers[0]
    #expect(villagers[1].friends.map(\.name) == ["Ida"])
    #expect(villagers[0].spouse === villagers[2])
    try context.save()
    let reader = container.newBackgroundContext()
    let stored = try reader.fetch(Villager.sorted(by: \.name))
    #expect(stored.map { $0.friends.count } == [1, 1, 0])
    #expect(stored[1].friends.contains(stored[0]))
    #expect(stored.map { $0.spouse?.name } == ["Zoë", nil, "Ida"])
  }

  @Test(arguments: StoreKind.allCases)
  func `an ordered relationship is a list`(_ kind: StoreKind) throws {
    let school = try School(kind)
    let context = school.container.newBackgroundContext()
    let course = school.course("Botany", in: context)
    let (roots, leaves) = (
      school.lesson("Roots", in: context), school.lesson("Leaves", in: context)
    )
    let introduction = school.lesson("Introduction", in: context)

    course.lessons.append(roots)
    course.lessons.append(leaves)
    course.lessons.insert(introduction, at: 0)
    course.lessons.move(from: 2, to: 1)
    let titles = course.lessons.map(\.title)
    let second = course.lessons[1]

    #expect(titles == ["Introduction", "Leaves", "Roots"])
    #expect(second === leaves && leaves.course === course)
    try context.save()
    let reader = school.container.newBackgroundContext()
    let stored = try #require(try reader.first(Course.all))
    #expect(stored.lessons.map(\.title) == titles)
  }

  @Test(arguments: StoreKind.allCases)
  func `cascade takes the related objects along, nullify lets them go`(_ kind: StoreKind) throws {
    let school = try School(kind)
    let context = school.container.newBackgroundContext()
    let course = school.course("Botany", in: context)
    course.lessons.append(school.lesson("Roots", in: context))
    let student = Student(context: context)
    student.name = "Ida"
    student.courses.insert(course)
    try context.save()
    context.delete(course)
    try context.save()
    #expect(try context.count(for: Lesson.all) == 0)
    #expect(try context.count(for: Student.all) == 1)
    #expect(student.courses.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `deny refuses the save while there are related objects`(_ kind: StoreKind) throws {
    let school = try School(kind)
    let context = school.container.newBackgroundContext()
    let course = school.course("Botany", in: context)
    let grade = CourseGrade(context: context)
    grade.points = 12
    grade.course = course
    try context.save()
    context.delete(course)
    #expect(try failure { try context.save() }.code == .relationshipDeniedDelete)
    context.delete(grade)
    try context.save()
    #expect(try context.count(for: Course.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `a required to-one relationship is checked by the save`(_ kind: StoreKind) throws {
    let school = try School(kind)
    let context = school.container.newBackgroundContext()
    CourseGrade(context: context).points = 12
    let error = try failure { try context.save() }
    #expect(error.code == .missingMandatoryProperty && error.property == "course")
  }

  @Test(arguments: StoreKind.allCases)
  func `what counts and changes members loads none of them`(_ kind: StoreKind) throws {
    let school = try School(kind)
    let writer = school.container.newBackgroundContext()
    let botany = school.course("Botany", in: writer)
    for number in 0..<30 {
      let student = Student(context: writer)
      student.name = "Student \(number)"
      student.courses.insert(botany)
    }
    try writer.save()
    let context = school.container.newBackgroundContext()
    context.stalenessInterval = 0
    let course = try #require(try context.first(Course.all))
    let newcomer = Student(context: context)
    newcomer.name = "Zoe"

    try school.container.assertStatements(1) {
      course.students.insert(newcomer)
      #expect(course.students.count == 31)
      #expect(course.students.contains(newcomer))
    }
    #expect(try course.hasFault(for: \.students))
    try school.container.assertStatements(1) {
      #expect(Set(course.students.map(\.name)).count == 31)
    }
  }
}
